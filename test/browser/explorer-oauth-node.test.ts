import { nodeHost, overHttp } from '../integrations/node/host.js'
import { oauthSuite } from './explorer/oauth-suite.js'

oauthSuite('node:http', nodeHost(overHttp))
