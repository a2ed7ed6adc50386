/** Two copies of this package in one program, as package managers install them: what one throws, the other knows. */

import express5 from 'express'
import express4 from 'express4'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { legacy, modern } from '../contract/clients.js'
import { expectError, expectText, expectToolError } from '../contract/expect.js'
import { latch } from '../contract/fixtures.js'
import { quiet } from '../contract/host.js'
import { listening } from '../integrations/express/host.js'
import { settled, unhandledRejections } from '../support/time.js'

/** Loads everything a second time. */
async function otherCopy() {
  vi.resetModules()
  const [core, mount] = [await import('mcp-router'), await import('mcp-router/express')]
  expect(core.McpRouter).not.toBe(McpRouter)
  expect(mount.mcp).not.toBe(mcp)
  return { ...core, ...mount }
}

type Copy = Awaited<ReturnType<typeof otherCopy>>

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('in %s', (_, express) => {
  const clients = async (router: object) => {
    const { origin, errors } = await listening(express().use(mcp(router as McpRouter<object>)))
    onTestFinished(() => expect(errors).toEqual([]))
    return [await legacy(`${origin}/mcp`), modern(`${origin}/mcp`)]
  }
  const options = { logger: quiet, exposeErrors: false }

  it.each([
    [401, -31001],
    [403, -31003],
  ])('a guard of another copy keeps its challenge with status %d', async (status, code) => {
    const other = await otherCopy()
    const router = new McpRouter<object>(options)
    const deny = other.guard((_req, res) => {
      res.status(status).set('WWW-Authenticate', 'Bearer realm="app"').json({ message: 'sign in please' })
    })
    router.tool('guarded', { description: 'd', use: [deny], handler: () => 'x' })
    for (const client of await clients(router)) {
      const answer = await client.call('guarded', {})
      expectError(answer, status, code, 1)
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="app"')
      expect(answer.json.error.message).toBe('sign in please')
    }
  })

  it('a guard of another copy refuses for the model to read', async () => {
    const other = await otherCopy()
    const router = new McpRouter<object>(options)
    const deny = other.guard((_req, res) => void res.status(429).json({ message: 'slow down' }))
    router.tool('guarded', { description: 'd', use: [deny], handler: () => 'x' })
    for (const client of await clients(router)) {
      expect(expectToolError(await client.call('guarded', {}))).toBe('429 Too Many Requests: slow down')
    }
  })

  it.each<[string, (copy: Copy) => Error, number]>([
    ['McpError', ({ McpError }) => new McpError(-1234, 'of the app', { a: 1 }), -1234],
    ['UnauthorizedError', ({ UnauthorizedError }) => new UnauthorizedError('of the app', { a: 1 }), -31001],
    ['ForbiddenError', ({ ForbiddenError }) => new ForbiddenError('of the app', { a: 1 }), -31003],
  ])('an %s of another copy arrives as it is', async (_, make, code) => {
    const error = make(await otherCopy())
    const router = new McpRouter<object>(options)
    const handler = (): never => {
      throw error
    }
    router.tool('t', { description: 'd', handler })
    router.resource('a://b', { handler })
    for (const client of await clients(router)) {
      for (const answer of [
        await client.call('t', {}),
        await client.request('resources/read', { uri: 'a://b' }),
      ]) {
        expectError(answer, 200, code, 1)
        expect(answer.json.error).toMatchObject({ message: 'of the app', data: { a: 1 } })
      }
    }
  })

  it.each<[string, (copy: Copy) => Error]>([
    ['ToolError', ({ ToolError }) => new ToolError('of the app')],
    ['NotFoundError', ({ NotFoundError }) => new NotFoundError('of the app')],
    ['InvalidParamsError', ({ InvalidParamsError }) => new InvalidParamsError('of the app')],
  ])('an %s of another copy is for the model to read', async (_, make) => {
    const error = make(await otherCopy())
    const router = new McpRouter<object>(options)
    router.tool('t', {
      description: 'd',
      handler(): never {
        throw error
      },
    })
    for (const client of await clients(router)) {
      expect(expectToolError(await client.call('t', {}))).toBe('of the app')
    }
  })

  it('a router of another copy is served, and refuses what it refuses', async () => {
    const other = await otherCopy()
    const router = new other.McpRouter<object>(options)
    router.tool('t', { description: 'd', handler: () => 'served' })
    router.tool('private', { description: 'd', requireUser: true, handler: () => 'x' })
    router.tool('inner', {
      description: 'd',
      handler: async () => JSON.stringify(await router.read('x://y')),
    })
    for (const client of await clients(router)) {
      expect(expectText(await client.call('t', {}))).toBe('served')
      expectError(await client.call('private', {}), 401, -31001, 1)
      expectError(await client.call('inner', {}), 200, -32602, 1)
    }
  })

  it('routes are tools of a router of another copy', async () => {
    const other = await otherCopy()
    const router = new other.McpRouter<object>({ ...options, toolSearch: true })
    const app = express()
    app.use(mcp(router as unknown as McpRouter<object>))
    app.get('/orders/:id', asTool({ description: 'One order' }), (req, res) => {
      res.json({ id: req.params.id })
    })
    const { origin } = await listening(app)
    const order = { name: 'get_orders_by_id', arguments: { id: '7' } }
    for (const client of [await legacy(`${origin}/mcp`), modern(`${origin}/mcp`)]) {
      expect(expectText(await client.call('call_tool', order))).toBe('{"id":"7"}')
    }
  })

  it('closing a router of another copy ends its calls, and tells why', async () => {
    const other = await otherCopy()
    const unhandled = unhandledRejections()
    for (const index of [0, 1]) {
      const running = latch<AbortSignal>()
      const router = new other.McpRouter<object>(options)
      router.tool('hold', {
        description: 'd',
        handler: (_, { signal }) => {
          running.open(signal)
          return new Promise<never>(() => {})
        },
      })
      const client = (await clients(router))[index]
      const answer = client?.call('hold', {})
      const signal = await running.opened
      await router.close({ drainMs: 0 })
      expect((await answer)?.text).toMatch(/the server is closing/)
      expect((await answer)?.status).toBe(200)
      expect(signal.reason).toMatchObject({ name: 'AbortError' })
    }
    await settled()
    expect(unhandled).toEqual([])
  })
})
