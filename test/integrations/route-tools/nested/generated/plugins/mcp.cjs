const fastifyPlugin = require('fastify-plugin')

module.exports = fastifyPlugin(async (fastify, { mount }) => {
  await mount(fastify)
})
