import Koa from 'koa2'
import { mountContract } from '../../contract/contract.js'
import { koaHost } from './host.js'
import { koaTests } from './koa-tests.js'

mountContract('Koa 2', koaHost(Koa))
koaTests('Koa 2', Koa)
