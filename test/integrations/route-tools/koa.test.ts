import Koa3 from 'koa'
import Koa2 from 'koa2'
import { koaRouteHost } from './koa.js'
import { routeTools } from './suite.js'

routeTools(koaRouteHost('Koa 2', Koa2))
routeTools(koaRouteHost('Koa 3', Koa3))
