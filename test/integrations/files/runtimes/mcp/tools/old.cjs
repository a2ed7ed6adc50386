const { tool } = require('mcp-router')

module.exports = tool({ description: 'CommonJS.', handler: () => 'old 1' })
