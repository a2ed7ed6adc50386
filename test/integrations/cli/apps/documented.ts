/** Tools of a document that run elsewhere, an app whose own document comes later, and more tools than are listed. */

import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { addOpenApi } from 'mcp-router/openapi'

export const app = express()
const router = new McpRouter({ name: 'shop', version: '1.0.0', toolSearch: true })
const openapi = { openapi: '3.1.0', info: { title: 'Shop', version: '1' } }
const own = { ...openapi, paths: { '/orders': { get: { operationId: 'order_list', responses: {} } } } }
const billing = { ...openapi, paths: { '/bills/{id}': { put: { operationId: 'bill_put', responses: {} } } } }

app.use(mcp(router, { routes: { include: ['/orders'], openapi: async () => own } }))
app.get('/orders', (_req: express.Request, res: express.Response) => void res.json([]))
await addOpenApi(router, billing, { baseUrl: 'https://billing.example.com' })
