const { McpRouter } = require('mcp-router')
const { mcp, serveStdio } = require('mcp-router/bare')
const { checkExplorer } = require('./explorer-on-bare.cjs')

const router = new McpRouter({ name: 'consumer', version: '1.0.0' })
router.tool('hello', { description: 'Says hello.', handler: () => `Hello from ${typeof mcp}` })
checkExplorer(mcp(router, { explorer: true })).then(() => serveStdio(router))
