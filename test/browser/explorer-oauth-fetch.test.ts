import { oauthSuite } from './explorer/oauth-suite.js'
import { webHost } from './explorer/web-host.js'

oauthSuite('web requests', webHost)
