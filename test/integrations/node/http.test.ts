import { mountContract } from '../../contract/contract.js'
import { nodeHost, overHttp } from './host.js'

mountContract('node:http', nodeHost(overHttp))
