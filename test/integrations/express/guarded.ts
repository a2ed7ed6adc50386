/** An app whose router has guarded definitions of every kind. */

import type { RequestHandler } from 'express'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/express'
import { expect, onTestFinished } from 'vitest'
import { type Client, legacy, modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { type ExpressModule, listening } from './host.js'

export interface GuardedApp {
  /** One of each era. */
  readonly clients: readonly [Client, Client]
  readonly url: string
  readonly router: McpRouter<object>
  /** How often something guarded ran. */
  ran(): number
}

export type Guarded = (middleware: RequestHandler, options?: { without?: 'skip' }) => Promise<GuardedApp>

export function guardedBy(express: ExpressModule): Guarded {
  return async (middleware, options) => {
    const router = new McpRouter<object>({ logger: quiet })
    const use = [guard(middleware, options)]
    let ran = 0
    const count = (): string => {
      ran += 1
      return `ran ${ran}`
    }
    router.tool('ban', { description: 'x', use, handler: count })
    router.tool('free', { description: 'x', handler: () => 'free' })
    router.resource('secret://x', { use, handler: count })
    router.prompt('ask', { description: 'x', use, handler: count })
    const app = express()
    app.use((_req, res, next) => {
      res.locals.greeting = 'hello'
      res.set('X-Before', '1')
      next()
    })
    const { origin, errors } = await listening(app.use(mcp(router)))
    onTestFinished(() => expect(errors).toEqual([]))
    const url = `${origin}/mcp`
    const clients = [await legacy(url), modern(url)] as const
    return { clients, url, router, ran: () => ran }
  }
}
