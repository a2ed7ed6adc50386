/** An app that knows who calls, takes a port that is not free, and has a route as a tool. */

import express from 'express'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import { z } from 'zod'

export const app = express()
const router = new McpRouter<{ user: unknown; desk: string }>({ name: 'desk', version: '1.0.0' })
router.tool('who', {
  description: 'Says who calls.',
  handler: (_, ctx) => ({ user: ctx.user, desk: ctx.desk, token: ctx.request?.headers.authorization }),
})
router.tool('fail', {
  description: 'Fails.',
  handler: () => Promise.reject(new Error('the printer is on fire')),
})
router.tool('ask', {
  description: 'Asks.',
  handler: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', schema: z.object({}) })).action,
})
router.tool('hang', {
  description: 'Never ends.',
  handler: (_, { signal }) => {
    console.log('hanging')
    return new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve('aborted'))
    })
  },
})
router.resource('note://{id}', { description: 'A note.', handler: ({ id }) => `note ${id}` })
app.use(mcp(router, { context: () => ({ desk: 'of the mount' }) }))
app.get('/orders/:id', asTool({ description: 'One order.' }), (req, res) => {
  res.json({ id: req.params.id, token: req.headers.authorization })
})
export const mcpCaller = async () => ({ user: { id: 'ana' }, context: { desk: 'exported' } })

const taken = await new Promise<number>((resolve) => {
  const other = app.listen(0, () => resolve((other.address() as { port: number }).port))
})
await new Promise<void>((resolve, reject) => {
  app.listen(taken, (error) => (error === undefined ? resolve() : reject(error)))
})
