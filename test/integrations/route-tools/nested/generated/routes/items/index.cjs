module.exports = async (fastify, { handler }) => {
  fastify.get('/:id', handler)
}
