import Koa from 'koa'
import { mountContract } from '../../contract/contract.js'
import { http2Skips, overHttp2 } from '../node/host.js'
import { koaHost } from './host.js'

mountContract('Koa 3 over HTTP/2', koaHost(Koa, { createServer: overHttp2, skips: http2Skips }))
