import { mountContract } from '../../contract/contract.js'
import type { Skip } from '../../contract/host.js'
import { nodeHost, overHttp2 } from './host.js'

const skips: readonly Skip[] = [
  [/with space around|spaces and tabs around/, 'HTTP/2 has no blanks around values (RFC 9113, 8.2.1)'],
]

mountContract('node:http2', nodeHost(overHttp2, { skips }))
