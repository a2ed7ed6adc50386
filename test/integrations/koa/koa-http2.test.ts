import Koa from 'koa'
import { mountContract } from '../../contract/contract.js'
import type { Skip } from '../../contract/host.js'
import { overHttp2 } from '../node/host.js'
import { koaHost } from './host.js'

const skips: readonly Skip[] = [
  [/with space around|spaces and tabs around/, 'HTTP/2 has no blanks around values (RFC 9113, 8.2.1)'],
]

mountContract('Koa 3 over HTTP/2', koaHost(Koa, { createServer: overHttp2, skips }))
