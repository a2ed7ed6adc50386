import { explorerSuite } from './explorer/suite.js'
import { webHost } from './explorer/web-host.js'

explorerSuite('web requests', webHost)
