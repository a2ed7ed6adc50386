/** The router of the checks, over stdio: on Bare by `mcp-router/stdio` too. */
import { serveStdio } from 'mcp-router/stdio'
import { sampleRouter } from './checks.js'

console.log('on its way')
await serveStdio(sampleRouter(), { onClose: () => console.error('closed') })
