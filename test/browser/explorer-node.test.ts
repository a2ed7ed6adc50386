import { nodeHost, overHttp } from '../integrations/node/host.js'
import { explorerSuite } from './explorer/suite.js'

explorerSuite('node:http', nodeHost(overHttp))
