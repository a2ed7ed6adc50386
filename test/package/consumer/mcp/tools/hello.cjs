const { tool } = require('mcp-router')

module.exports = tool({ description: 'Says hello.', handler: () => 'Hello file' })
