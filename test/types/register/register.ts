/** `Register` types the caller for the whole program. */
import { McpRouter, prompt, resource, type Tool, tool } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { z } from 'zod'
import { is } from '../is.js'

interface User {
  id: number
  role: string
}
interface Db {
  find(id: number): string
}

declare module 'mcp-router' {
  interface Register {
    user: User | undefined
    db: Db
  }
}

const router = new McpRouter({ name: 'types', version: '1.0.0' })

router.tool('user', {
  visible: (caller) => caller.user?.role === 'admin',
  use: [
    async (call, next) => {
      is<User | undefined>()(call.ctx.user)
      return next()
    },
  ],
  handler: (_input, ctx) => {
    is<User | undefined>()(ctx.user)
    return ctx.db.find(1)
  },
})
router.tool('required', {
  input: z.object({ id: z.number() }),
  requireUser: true,
  handler: ({ id }, ctx) => {
    is<User>()(ctx.user)
    return ctx.db.find(id + ctx.user.id)
  },
})
router.use(async (call, next) => {
  is<Db>()(call.ctx.db)
  return next()
})

// The standalone definitions see the same caller, in records and in classes.
class Tools {
  readonly #greeting = 'Hello'
  hello: Tool = tool({ requireUser: true, handler: (_input, ctx) => `${this.#greeting} ${ctx.user.id}` })
  item = resource('item://{id}', {
    requireUser: true,
    handler: ({ id }, ctx) => `${id} ${ctx.uri} ${ctx.user.role}`,
  })
  ask = prompt({ handler: (_args, ctx) => ctx.db.find(2) })
}
router.add(new Tools())
router.add({ other: tool({ handler: (_input, ctx) => ctx.db.find(3) }) })

// The mount must bring what was promised.
mcp(router, { context: () => ({ db: { find: String } }) })
mcp(router, { context: async () => ({ db: { find: String } }), user: () => ({ id: 1, role: 'admin' }) })
// @ts-expect-error `db` was promised
mcp(router)
// @ts-expect-error `db` was promised
mcp(router, { path: '/mcp' })
// @ts-expect-error a wrong `db`
mcp(router, { context: () => ({ db: 1 }) })
// @ts-expect-error a wrong user
mcp(router, { context: () => ({ db: { find: String } }), user: () => 'somebody' })
// @ts-expect-error an anonymous caller is possible
router.tool('anonymous', { handler: (_input, ctx) => ctx.user.id })
// @ts-expect-error nobody promised this
router.tool('other', { handler: (_input, ctx) => ctx.cache })
