/** The layout of `fastify generate`: one plugin that loads two folders. */

const path = require('node:path')

module.exports = async (fastify, { prefix: _, ...options }) => {
  fastify.register(options.autoload, { dir: path.join(__dirname, 'plugins'), options })
  fastify.register(options.autoload, { dir: path.join(__dirname, 'routes'), options })
}
