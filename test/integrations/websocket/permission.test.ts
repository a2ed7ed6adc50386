/** A connection lasts no longer than its caller's permission, and its calls run as the caller's current identity. */

import { createServer } from 'node:http'
import type { McpRouter } from 'mcp-router'
import { UnauthorizedError } from 'mcp-router'
import { mcp } from 'mcp-router/node'
import { attachWebSocket, webSocketRoute } from 'mcp-router/websocket'
import { expect, it } from 'vitest'
import { routers } from '../../support/routers.js'
import { holdTimers } from '../../support/time.js'
import { connect, serve, textOf } from './socket.js'

const { log, make } = routers()
const publicUrl = 'https://api.example.com/mcp'

function whoami(options = {}): McpRouter {
  const router = make(options)
  router.tool('whoami', {
    description: 'd',
    handler: (_, ctx) => JSON.stringify({ user: ctx.user, scopes: ctx.auth?.scopes }),
  })
  router.tool('admin', { description: 'd', scopes: ['admin'], handler: () => 'done' })
  return router
}

it('closes within 30 seconds after its token was revoked', async () => {
  const checks = holdTimers(30_000)
  let refused: unknown
  const auth = {
    authorizationServers: ['https://login.example.com'],
    cacheMs: 0,
    verify: () => {
      if (refused !== undefined) throw refused
      return { subject: 'ana', scopes: [], claims: {} }
    },
  }
  const address = await serve(whoami(), { auth, publicUrl } as object)
  const client = await connect(`ws://${address}/mcp`, { headers: { Authorization: 'Bearer t' } })
  const call = () => client.modern('tools/call', { name: 'whoami' })
  await checks.fire()
  // At that time, nothing is known about the token.
  refused = Object.assign(new Error('down'), { status: 503 })
  await checks.fire()
  refused = new Error('a bug')
  await checks.fire()
  expect(textOf(await call())).toBe('{"scopes":[]}')
  refused = new UnauthorizedError('revoked')
  await checks.fire()
  expect(await client.closed).toEqual([1008, 'The caller may not go on'])
})

it('closes when `user` finds nobody, or another user', async () => {
  const checks = holdTimers(30_000)
  const users: Record<string, unknown> = { ana: { id: 'ana' }, ben: { id: 'ben' }, cid: { id: 'cid' } }
  const options = {
    user: async (req: { headers: Record<string, string> }) => users[req.headers['x-user'] ?? ''],
  }
  const address = await serve(whoami(), options as object)
  const [ana, ben, cid] = await Promise.all(
    ['ana', 'ben', 'cid'].map((who) => connect(`ws://${address}/mcp`, { headers: { 'X-User': who } })),
  )
  Object.assign(users, { ana: undefined, ben: users.cid })
  await checks.fire()
  expect(await ana?.closed).toEqual([1008, 'The caller may not go on'])
  expect(await ben?.closed).toEqual([1008, 'The caller may not go on'])
  expect(textOf(await cid?.modern('tools/call', { name: 'whoami' }))).toBe('{"user":{"id":"cid"}}')
})

it("continues with the caller's new identity: another role, fewer scopes", async () => {
  const checks = holdTimers(30_000)
  let role = 'admin'
  const auth = {
    authorizationServers: ['https://login.example.com'],
    cacheMs: 0,
    verify: () => ({ subject: 'ana', scopes: [role], claims: {} }),
  }
  const user = () => ({ id: 'ana', role })
  const address = await serve(whoami(), { auth, user, publicUrl } as object)
  const client = await connect(`ws://${address}/mcp`, { headers: { Authorization: 'Bearer t' } })
  expect(textOf(await client.modern('tools/call', { name: 'admin' }))).toBe('done')
  role = 'reader'
  await checks.fire()
  expect((await client.modern('tools/call', { name: 'admin' })).error.code).toBe(-31003)
  expect(JSON.parse(textOf(await client.modern('tools/call', { name: 'whoami' })))).toEqual({
    user: { id: 'ana', role: 'reader' },
    scopes: ['reader'],
  })
})

it('ends the subscriptions of a token that lost a scope, and shows others what their caller may see now', async () => {
  const checks = holdTimers(30_000)
  let scopes = ['reader', 'admin']
  let role = 'admin'
  const auth = {
    authorizationServers: ['https://login.example.com'],
    cacheMs: 0,
    verify: () => ({ subject: 'ana', scopes, claims: {} }),
  }
  const router = whoami()
  router.tool('secret', {
    description: 'd',
    visible: (ctx) => (ctx.user as { role?: string } | undefined)?.role === 'admin',
    handler: () => 'done',
  })
  const address = await serve(router, { auth, publicUrl, user: () => ({ id: 'ana', role }) } as object)
  const client = await connect(`ws://${address}/mcp`, { headers: { Authorization: 'Bearer t' } })
  let over: unknown
  const listening = client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  void listening.then((answer) => {
    over = answer
  })
  await checks.fire()
  expect(over).toBeUndefined()
  role = 'guest'
  await checks.fire()
  expect(over).toBeUndefined()
  scopes = ['reader']
  await checks.fire()
  expect((await listening).result).toMatchObject({ resultType: 'complete' })
  expect(textOf(await client.modern('tools/call', { name: 'whoami' }))).toContain('guest')
})

it('calls `user` once per connection with `recheckUser: false`', async () => {
  const checks = holdTimers(30_000)
  const tickets = new Set(['t1'])
  const user = (req: { headers: Record<string, string> }) =>
    tickets.delete(req.headers['x-ticket'] ?? '') ? { id: 'ana' } : undefined
  const options = { user, recheckUser: false }
  const client = await connect(`ws://${await serve(whoami({ requireUser: true }), options as object)}/mcp`, {
    headers: { 'X-Ticket': 't1' },
  })
  await checks.fire()
  expect(textOf(await client.modern('tools/call', { name: 'whoami' }))).toBe('{"user":{"id":"ana"}}')
})

it('is not checked again if the mount has no login', async () => {
  const checks = holdTimers(30_000)
  const client = await connect(`ws://${await serve(whoami())}/mcp`)
  expect(textOf(await client.modern('tools/call', { name: 'whoami' }))).toBe('{}')
  expect(checks.waiting).toBe(0)
})

const warned = () =>
  log.entries.filter(({ message }) => message.includes('everybody may call over WebSocket'))
const user = () => ({ id: 'ana' })
const auth = {
  authorizationServers: ['https://login.example.com'],
  verify: () => Promise.reject(new Error()),
}
const mount = (router: McpRouter, options: object) => void mcp(router as McpRouter<object>, options)
const attach = (router: McpRouter, options: object) =>
  void attachWebSocket(router as McpRouter<object>, createServer(), options)

it.each<[string, object]>([
  ['user', { user }],
  ['auth', { auth, publicUrl }],
])('warns of sockets for everybody beside a mount that has `%s`, once, in either order', (_, options) => {
  for (const doors of [
    [mount, attach],
    [attach, mount],
  ]) {
    log.entries.length = 0
    const router = whoami()
    for (const door of [...doors, ...doors]) door(router, door === mount ? options : {})
    expect(warned()).toEqual([
      { level: 'warn', message: expect.stringMatching(/^attachWebSocket\(\) has neither `user` nor `auth`/) },
    ])
  }
})

it("doesn't warn about sockets with a login, with a router that guards itself, or of a framework", () => {
  log.entries.length = 0
  const asking = whoami()
  mount(asking, { user })
  attach(asking, { user })
  const guarded = whoami({ requireUser: true })
  mount(guarded, { user })
  attach(guarded, {})
  const open = whoami()
  mount(open, {})
  attach(open, {})
  const fastify = whoami()
  mount(fastify, { user })
  webSocketRoute(fastify as McpRouter<object>)
  expect(warned()).toEqual([])
})
