const { McpRouter } = require('mcp-router')
const { mcp, serveStdio } = require('mcp-router/bare')

const router = new McpRouter({ name: 'consumer', version: '1.0.0' })
router.tool('hello', { description: 'Says hello.', handler: () => `Hello from ${typeof mcp}` })
serveStdio(router)
