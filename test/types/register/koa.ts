/** The mount for Koa must bring what `Register` promises. */
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/koa'

const router = new McpRouter({ name: 'types', version: '1.0.0' })

mcp(router, { context: () => ({ db: { find: String } }) })
mcp(router, {
  user: (ctx) => ctx.state.user,
  context: async (ctx) => ({ db: { find: (id) => `${id} ${ctx.ip}` } }),
})
// @ts-expect-error `db` was promised
mcp(router)
// @ts-expect-error a wrong `db`
mcp(router, { context: () => ({ db: 1 }) })
// @ts-expect-error a wrong user
mcp(router, { context: () => ({ db: { find: String } }), user: () => 'somebody' })
