/** The type parameter of `McpRouter` types one router of several in a program. */
import { type Context, McpRouter, tool } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { z } from 'zod'
import { is } from '../is.js'

interface Admin {
  user: { id: number; level: number }
  db: { find(id: number): string }
}

const admin = new McpRouter<Admin>({ name: 'admin', version: '1.0.0' })
const plain = new McpRouter({ name: 'plain', version: '1.0.0' })

admin.tool('level', {
  visible: ({ user }) => user.level > 1,
  handler: (_input, ctx) => {
    is<{ id: number; level: number }>()(ctx.user)
    return ctx.db.find(ctx.user.level)
  },
})
admin.resource('level://{id}', { handler: ({ id }, ctx) => `${id} ${ctx.user.level}` })
admin.prompt('level', { handler: (_args, ctx) => ctx.db.find(ctx.user.level) })
plain.tool('user', {
  handler: (_input, ctx) => {
    is<unknown>()(ctx.user)
  },
})

// A standalone tool for such a router says so; its input is still inferred.
admin.add({
  find: tool({
    input: z.object({ id: z.number() }),
    handler: ({ id }, ctx: Context<Admin>) => {
      is<number>()(id)
      return ctx.db.find(id)
    },
  }),
})

mcp(admin, { user: () => ({ id: 1, level: 2 }), context: () => ({ db: { find: String } }) })
mcp(plain)
// @ts-expect-error `db` was promised
mcp(admin)
// @ts-expect-error routers of another caller cannot be mounted
plain.use('admin', admin)
// @ts-expect-error this router knows no `db`
plain.tool('db', { handler: (_input, ctx) => ctx.db })
