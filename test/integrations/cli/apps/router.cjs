/** A router in CommonJS. */

const { McpRouter } = require('../../../../src/index.js')

const router = new McpRouter({ name: 'old', version: '1.0.0' })
router.tool('hello', { description: 'Says hello.', handler: () => 'hello' })

module.exports = { router }
