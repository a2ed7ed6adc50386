/** What docs/mounting.md takes for granted. */

import express from 'express'
import { McpRouter } from 'mcp-router'

declare global {
  namespace Express {
    interface User {
      id: string
    }
  }
}

export const app: express.Express = express()
export const router: McpRouter<{ user: Express.User | undefined; locale: string }> = new McpRouter({
  name: 'reports',
  version: '1.0.0',
})
