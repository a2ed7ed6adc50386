import { mountContract } from '../../contract/contract.js'
import { nodeHost, overHttps } from './host.js'

mountContract('node:https', nodeHost(overHttps))
