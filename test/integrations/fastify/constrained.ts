/** Fastify apps whose routes have constraints, and the routes that calls of their tools reach. */

import { createRequire } from 'node:module'
import type fastify from 'fastify'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { McpRouter } from 'mcp-router'
import { mcp as plugin } from 'mcp-router/fastify'
import { onTestFinished, vi } from 'vitest'
import type { RouteOptions } from '../../../src/internal.js'
import { quiet } from '../../contract/host.js'

const load = createRequire(import.meta.url)
export const majors: readonly { name: string; create: typeof fastify }[] = [
  { name: 'Fastify 4', create: load('fastify4') },
  { name: 'Fastify 5', create: load('fastify') },
]

/**
 * An app with the plugin, whose routes all become tools. `answer(text)` makes a handler that responds with the text.
 */
export async function mounted(
  create: typeof fastify,
  declare: (app: FastifyInstance, answer: (text: string) => () => Promise<{ answer: string }>) => void,
  { options = {}, routes = {} }: { options?: FastifyServerOptions; routes?: RouteOptions } = {},
) {
  const app = create({ ...options }) as unknown as FastifyInstance
  onTestFinished(() => app.close())
  const reached: string[] = []
  const warn = vi.fn()
  const router = new McpRouter({ name: 'x', version: '1', logger: { ...quiet, warn } })
  await app.register(plugin, { router: router as never, routes: { include: ['* /**'], ...routes } })
  declare(app, (text) => async () => {
    reached.push(text)
    return { answer: text }
  })
  await app.ready()
  const list = router.list({ app })
  const tools = list.filter(({ kind }) => kind === 'tool').map(({ name }) => name)
  const others = list.filter(({ kind, route }) => kind === 'route' && route?.reason !== 'our own endpoint')
  const call = async (name: string, args: object = {}, headers: Record<string, string> = {}) => {
    reached.length = 0
    const request = { method: 'POST', url: '/mcp', ip: '127.0.0.1', raw: undefined, headers }
    const result = await router.call(name, args, { request } as never)
    return { reached: [...reached], text: JSON.stringify(result.content), isError: result.isError === true }
  }
  return { app, router, tools, list, reasons: others.map(({ route }) => route?.reason), call, warn }
}
