/** The router that the same test looks at under each runner. */

exports.notesRouter = ({ McpRouter }) => {
  const router = new McpRouter({ name: 'notes', version: '1.0.0' })
  router.tool('share', {
    description: 'Shares a note.',
    input: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    async handler({ id }, ctx) {
      const { action } = await ctx.elicit({
        message: 'Sure?',
        schema: { type: 'object', properties: {} },
      })
      ctx.progress(1)
      return `${ctx.user.id}: ${id} ${action}`
    },
  })
  return router
}

exports.eras = ['2025-11-25', '2026-07-28']
