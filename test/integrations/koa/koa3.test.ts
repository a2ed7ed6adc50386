import Koa from 'koa'
import { mountContract } from '../../contract/contract.js'
import { koaHost } from './host.js'
import { koaTests } from './koa-tests.js'

mountContract('Koa 3', koaHost(Koa))
koaTests('Koa 3', Koa)
