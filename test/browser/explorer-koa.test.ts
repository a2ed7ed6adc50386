import Koa from 'koa'
import { koaHost } from '../integrations/koa/host.js'
import { explorerSuite } from './explorer/suite.js'

explorerSuite('Koa', koaHost(Koa))
