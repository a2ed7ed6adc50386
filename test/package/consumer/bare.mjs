// What the installed package does on Bare: the router, the two transports, the explorer, and a call over stdio.
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/bare'
import { serveStdio } from 'mcp-router/stdio'
import { checkExplorer } from './explorer-on-bare.cjs'

const router = new McpRouter({ name: 'consumer', version: '1.0.0' })
router.tool('hello', { description: 'Says hello.', handler: () => `Hello from ${typeof mcp}` })
await checkExplorer(mcp(router, { explorer: true }))
await serveStdio(router)
