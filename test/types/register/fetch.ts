/** Handlers of web requests under the `Register` of register.ts. */
import { McpRouter } from 'mcp-router'
import { type FetchHandler, mcp } from 'mcp-router/fetch'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const request = new Request('http://localhost/mcp')
const context = { db: { find: String } }
const admin = { id: 1, role: 'admin' }

// The mount brings what was promised, so calls may.
const handler: FetchHandler = mcp(router, {
  context: (asked) => ({ db: { find: () => asked.url } }),
  user: () => admin,
})
handler(request)
handler(request, { user: undefined })
handler(request, { user: admin, context, peerAddress: '192.0.2.1' })
// @ts-expect-error a wrong user
handler(request, { user: 'somebody' })
// @ts-expect-error a wrong `db`
handler(request, { context: { db: 1 } })
// @ts-expect-error no such member
handler(request, { usr: admin })

// The mount does not, so each call must.
const bringing = mcp(router, { path: '/api/mcp' })
bringing(request, { context })
mcp(router)(request, { context, user: admin })
// @ts-expect-error `db` was promised
bringing(request)
// @ts-expect-error `db` was promised
bringing(request, { user: admin })
// @ts-expect-error a wrong user
mcp(router, { user: () => 'somebody' })

// What servers pass by themselves.
const hosts: {
  bun(
    request: Request,
    server: { requestIP(request: Request): { address: string } | null },
  ): Promise<Response>
  deno(request: Request, info: { remoteAddr: { hostname: string } }): Promise<Response>
  next(request: Request, route: { params: Promise<object> }): Promise<Response>
  workers(request: Request, env: { KV: object }, executionContext: object): Promise<Response>
} = { bun: handler, deno: handler, next: handler, workers: handler }
void hosts
