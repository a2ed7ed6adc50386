/** An app whose router has guarded definitions of every kind. */

import type { Context, Middleware } from 'koa'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/koa'
import { expect, onTestFinished } from 'vitest'
import { type Client, legacy, modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { type KoaModule, listening } from './host.js'

export interface GuardedApp {
  /** One of each era. */
  readonly clients: readonly [Client, Client]
  readonly url: string
  readonly router: McpRouter<object>
  /** The `ctx` of the last request. */
  real(): Context
  /** How often something guarded ran. */
  ran(): number
}

export type Guarded = (middleware: Middleware, options?: { without?: 'skip' }) => Promise<GuardedApp>

export function guardedBy(Koa: KoaModule): Guarded {
  return async (middleware, options) => {
    const router = new McpRouter<object>({ logger: quiet })
    const use = [guard(middleware, options)]
    let ran = 0
    let real: Context | undefined
    const count = (): string => {
      ran += 1
      return `ran ${ran}`
    }
    router.tool('ban', { description: 'x', use, handler: count })
    router.tool('free', { description: 'x', handler: () => 'free' })
    router.resource('secret://x', { use, handler: count })
    router.prompt('ask', { description: 'x', use, handler: count })
    const app = new Koa()
    app.use((ctx, next) => {
      real = ctx
      ctx.state.greeting = 'hello'
      ctx.params = { tenant: 'acme' }
      ctx.cookies.set('before', '1')
      ctx.set('X-Before', '1')
      return next()
    })
    const { origin, errors } = await listening(app.use(mcp(router)))
    onTestFinished(() => expect(errors).toEqual([]))
    const url = `${origin}/mcp`
    const clients = [await legacy(url), modern(url)] as const
    return { clients, url, router, ran: () => ran, real: () => real as Context }
  }
}
