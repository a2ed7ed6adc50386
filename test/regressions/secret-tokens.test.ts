/** Tokens are in no log and in no report, whatever a verifier says of them. */

import { inspect } from 'node:util'
import express from 'express'
import { type Context, McpError, memoryStore, ToolError, UnauthorizedError } from 'mcp-router'
import { describe, expect, it, vi } from 'vitest'
import { post, send } from '../contract/client.js'
import { legacy, modern, rpc } from '../contract/clients.js'
import { serve } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'

const token = 'opaque/hunter2+0123456789.abcdefghijklmnopqrstuvwxyz~ABCDEFGHIJKLMNOP=='
const about = `malformed: ${token}`

/** As HTTP clients make them: with the request that failed. */
class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
  readonly code = 'ECONNRESET'
  readonly url = `https://login.example/check?token=${encodeURIComponent(token)}`
  readonly options = { headers: { authorization: `Bearer ${token}` } }
}

function circle(): Error {
  const error = new Error(about)
  error.cause = new AggregateError([error, new FetchFailed(about)], about)
  return error
}

const endless = {
  message: about,
  get cause() {
    return Object.create(this)
  },
}

const unreadable = (...keys: PropertyKey[]): Error =>
  new Proxy(new Error(about), {
    get(target, key) {
      if (keys.includes(key)) throw new Error(about)
      return Reflect.get(target, key)
    },
  })

const unavailable = { status: 503 }
const thrown: [what: string, error: unknown, status: number][] = [
  ['an error', new Error(about), 500],
  ['an error with a cause', new Error('no verdict', { cause: new FetchFailed(about) }), 500],
  ['a circle of causes', circle(), 500],
  ['causes without an end', endless, 500],
  ['a cause that cannot be read', unreadable('cause'), 500],
  ['a status that cannot be read', unreadable('status'), 500],
  ['what cannot be read', unreadable('status', 'message', 'stack', 'name', 'cause', 'errors'), 500],
  [
    'what hides its keys',
    new Proxy(new Error(about), {
      ownKeys() {
        throw new Error(about)
      },
    }),
    500,
  ],
  ['text', about, 500],
  ['a symbol', Symbol(about), 500],
  ['an object', { [token]: token, message: about, cause: { message: about } }, 500],
  ['an error with the status 401', Object.assign(new Error(about), { status: 401 }), 401],
  ['an error with the status 403', Object.assign(new Error(about), { status: 403 }), 403],
  ['an error with the status 503', Object.assign(new FetchFailed(about), unavailable), 503],
  ['a cause with the status 503', Object.assign(new Error(about, { cause: circle() }), unavailable), 503],
  ['the beginning of it', Object.assign(new Error(`bad: ${token.slice(0, 30)}...`), unavailable), 503],
]

interface Told {
  readonly url: string
  readonly logged: unknown[][]
  readonly errors: unknown[]
}

async function start(auth: object, options: object = {}): Promise<Told> {
  const [logged, errors]: [unknown[][], unknown[]] = [[], []]
  const write = (...entry: unknown[]): void => void logged.push(entry)
  const { url } = await serve(expressHost(express), {
    options: { auth: { authorizationServers: ['https://login.example'], ...auth } as never, ...options },
    server: {
      logger: { info: write, warn: write, error: write },
      onError: (error) => void errors.push(error),
    },
  })
  return { url, logged, errors }
}

const bearer = { Authorization: `Bearer ${token}` }
const ask = (url: string) => post(url, rpc('ping'), bearer)
const everything = (value: unknown): string => inspect(value, { depth: 20, showHidden: true, getters: true })

function expectNoToken({ logged, errors }: Told): void {
  const text = everything([logged, errors])
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain(encodeURIComponent(token))
}

it.each(thrown)('says nothing of the token where `verify` throws %s', async (_, error, status) => {
  const told = await start({ verify: () => Promise.reject(error) })
  const answer = await ask(told.url)
  expect(answer.status).toBe(status)
  expect(answer.text).not.toContain('hunter2')
  expect(told.logged).not.toEqual([])
  expectNoToken(told)
})

it('says nothing of the token where `verify` returns it', async () => {
  const told = await start({ verify: (given: string) => given })
  expect((await ask(told.url)).status).toBe(500)
  expect(told.logged).not.toEqual([])
  expectNoToken(told)
})

it('says nothing of the token where `tenant` fails on a claim that has it', async () => {
  const told = await start({
    verify: (raw: string) => ({ subject: 'ann', scopes: [], claims: { raw } }),
    tenant: ({ raw }: { raw: string }) => {
      throw new Error(`no tenant in ${raw}`)
    },
  })
  expect((await ask(told.url)).status).toBe(500)
  expect(told.logged).not.toEqual([])
  expectNoToken(told)
})

const known = { verify: () => ({ subject: 'ann', scopes: [], claims: {} }) }
const inHost: [what: string, error: unknown, code: number][] = [
  ...thrown
    .filter(([, , status]) => status === 500)
    .map(([what, error]): [string, unknown, number] => [what, error, -32603]),
  ['an error with the status 401', Object.assign(new Error(about), { status: 401 }), -31001],
  [
    'an error of another server',
    Object.assign(new FetchFailed(about), { status: 401, response: {} }),
    -32603,
  ],
  ['a refusal', new UnauthorizedError(about), -31001],
  ['a fault of its own code', new McpError(-32603, about), -32603],
  ['a failure that is branded', new ToolError(about, { cause: circle() }), -32603],
]

describe.each(['user', 'context'])('says nothing of the token where `%s` throws', (option) => {
  it.each(inHost)('%s', async (_, error, code) => {
    const told = await start(known, { [option]: () => Promise.reject(error) })
    const asked = await post(told.url, rpc('tools/call', { name: 'echo', arguments: { text: '' } }), bearer)
    expect(asked.json.error.code).toBe(code)
    expect(asked.text).not.toContain('hunter2')
    expect(told.logged).not.toEqual([])
    expectNoToken(told)
  })
})

it('says nothing of the token where `user` throws before a stream opens', async () => {
  const told = await start(known, {
    legacySse: true,
    user: () => {
      throw Object.assign(new FetchFailed(about), { status: 401 })
    },
  })
  const answer = await send(`${told.url}/sse`, { method: 'GET', headers: bearer })
  expect(answer.text).not.toContain('hunter2')
  expect(told.logged).not.toEqual([])
  expectNoToken(told)
})

it('hands the token to the verifier and to handlers alone: neither the store nor an answer has it', async () => {
  const kept: unknown[][] = []
  const store = new Proxy(memoryStore(), {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        kept.push([name, ...given])
        return value.apply(target, given)
      }
    },
  })
  const verify = vi.fn(known.verify)
  const { url, router } = await serve(expressHost(express), {
    options: { auth: { authorizationServers: ['https://login.example'], verify } },
    server: { store, secret: 'a secret of enough bytes' },
  })
  const schema = { type: 'object', properties: { name: { type: 'string' } } } as const
  const run = vi.fn(async (_: unknown, ctx: Context<object>) => {
    ctx.progress(1)
    await ctx.once('key', () => 'once')
    await ctx.session?.set('key', 'value')
    await ctx.elicit({ message: 'Who?', schema })
  })
  router.tool('everything', { description: 'd', handler: run })
  router.tool('long', { description: 'd', task: 'required', handler: () => 'done' })
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions } }
  const fresh = modern(url, { headers: bearer, meta })
  const asked = await fresh.call('everything', {})
  const task = await fresh.call('long', {})
  const old = await legacy(url, { headers: bearer, capabilities: { elicitation: {} } })
  const subscribed = await old.request('resources/subscribe', { uri: 'config://app' })
  const params = { name: 'everything', arguments: {}, _meta: { progressToken: 1 } }
  const stream = await old.open('tools/call', params)
  const question = [await stream.next(), await stream.next()]
  stream.leave()
  expect(run).toHaveBeenCalledTimes(2)
  expect(run.mock.lastCall?.[1].auth?.token).toBe(token)
  expect(verify).toHaveBeenCalled()
  const names = new Set(kept.map(([name]) => name))
  for (const name of ['set', 'append', 'publish', 'claim']) expect(names).toContain(name)
  expect(question.map(({ method }) => method)).toEqual(['notifications/progress', 'elicitation/create'])
  const out = [asked.text, task.text, subscribed.text, old.sessionId, question]
  expect(everything([kept, out])).not.toContain('hunter2')
  await router.close({ drainMs: 0 })
})

it('keeps what else an error says, and leaves the error itself alone', async () => {
  const error = Object.assign(new FetchFailed(about, { cause: new TypeError('socket') }), unavailable)
  const told = await start({ verify: () => Promise.reject(error) })
  await ask(told.url)
  expect(told.errors).toMatchObject([
    { name: 'FetchFailed', message: 'malformed: …', code: 'ECONNRESET', cause: { message: 'socket' } },
  ])
  const [reported] = told.errors as [Error]
  expect(reported).toBeInstanceOf(Error)
  expect(reported.stack).toContain('secret-tokens.test.ts')
  expect(told.logged[0]?.[0]).toContain('malformed: … <- socket')
  expect(error.message).toBe(about)
})
