import { mountContract } from '../../contract/contract.js'
import { http2Skips, nodeHost, overHttp2 } from './host.js'

mountContract('node:http2', nodeHost(overHttp2, { skips: http2Skips }))
