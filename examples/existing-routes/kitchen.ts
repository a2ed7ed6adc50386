/** Koa: a router with a prefix whose routes validate their bodies with Zod. The `asTool()` markers use the same schemas. */
import Router from '@koa/router'
import Koa, { type Context, type Middleware, type Next } from 'koa'
import bodyParser from 'koa-bodyparser'
import { McpRouter } from 'mcp-router'
import { asTool, isToolCall, mcp } from 'mcp-router/koa'
import { z } from 'zod'
import { personOf } from './keys.js'
import { logger } from './log.js'

const anOrder = z.object({ dish: z.string().min(2), servings: z.number().int().min(1).max(20).default(1) })
const aTable = z.object({ table: z.coerce.number().int().min(1) })

interface Order extends z.infer<typeof anOrder> {
  table: number
  by: string
  /** Whether a model made the order. */
  assisted: boolean
}

async function requireKey(ctx: Context, next: Next): Promise<void> {
  const person = personOf(ctx.get('authorization'))
  if (person === undefined) ctx.throw(401, 'Send your key')
  ctx.state.user = person
  await next()
}

/** Validates the body: refuses with a list of fields, or passes the parsed body to the handler. */
function bodyIs(schema: z.ZodType): Middleware {
  return async function bodyIs(ctx, next) {
    const { success, data, error } = schema.safeParse((ctx.request as { body?: unknown }).body)
    if (!success) {
      ctx.status = 422
      ctx.body = { message: 'The body does not fit', issues: error.issues }
      return
    }
    ctx.state.body = data
    await next()
  }
}

export function createKitchen(): Koa {
  const orders: Order[] = []
  const routes = new Router({ prefix: '/kitchen' })
  routes.get('/tables/:table/orders', asTool({ name: 'order_list', params: aTable }), (ctx) => {
    ctx.body = orders.filter(({ table }) => table === Number(ctx.params.table))
  })
  routes.post(
    '/tables/:table/orders',
    asTool({
      name: 'order_add',
      description: 'Order a dish for a table.',
      params: aTable,
      body: anOrder,
    }),
    bodyIs(anOrder),
    (ctx) => {
      const order = {
        ...(ctx.state.body as z.infer<typeof anOrder>),
        table: Number(ctx.params.table),
        by: ctx.state.user.name,
        assisted: isToolCall(ctx),
      }
      orders.push(order)
      ctx.status = 201
      ctx.body = order
    },
  )

  const app = new Koa()
  app.use(requireKey)
  app.use(mcp(new McpRouter<object>({ name: 'kitchen', version: '1.0.0', ...logger })))
  app.use(bodyParser())
  app.use(routes.routes())
  return app
}
