// What the installed package does on Bare: the router, the two transports, and a call over stdio.
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/bare'
import { serveStdio } from 'mcp-router/stdio'

const router = new McpRouter({ name: 'consumer', version: '1.0.0' })
router.tool('hello', { description: 'Says hello.', handler: () => `Hello from ${typeof mcp}` })
await serveStdio(router)
