/** What every framework's `guard()` does: the refusal of existing middleware is the call's. */

import { McpRouter, type Middleware, type RouterOptions } from 'mcp-router'
import { expect, it } from 'vitest'
import { open } from '../contract/client.js'
import { type Client, legacy, modern, rpc } from '../contract/clients.js'
import { expectErrorBody, expectText, expectToolError } from '../contract/expect.js'
import { quiet } from '../contract/host.js'

export interface GuardedApp {
  /** One of each era. */
  readonly clients: readonly [Client, Client]
  readonly url: string
  readonly router: McpRouter<object>
  /** How often something guarded ran. */
  ran(): number
}

interface HttpResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const json = { 'Content-Type': 'application/json' }

/** Responses that a middleware refuses with, and what a model reads of them where errors are masked. */
export const httpRefusals: [name: string, response: HttpResponse, says: RegExp][] = [
  [
    'no message of a 500',
    { status: 500, headers: json, body: '{"message":"connect ECONNREFUSED db.internal:5432"}' },
    /^Internal error\. Reference: \S+$/,
  ],
  [
    'the seconds of a Retry-After date',
    { status: 429, headers: { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() }, body: '' },
    /^429 Too Many Requests\. Try again in 3\d\d\d seconds\.$/,
  ],
  [
    'the seconds of a RateLimit header',
    { status: 429, headers: { RateLimit: '"default";r=0;t=30' }, body: 'Too many' },
    /^429 Too Many Requests: Too many\. Try again in 30 seconds\.$/,
  ],
  [
    'a 503 that says how long to wait',
    { status: 503, headers: { 'Retry-After': '5' }, body: 'pool of db.internal is full' },
    /^503 Service Unavailable\. Try again in 5 seconds\.$/,
  ],
  [
    'a list of fields',
    {
      status: 422,
      headers: json,
      body: '{"message":"Invalid","errors":[{"path":"title","msg":"is required"}]}',
    },
    /^422 Unprocessable Content: Invalid\n- title: is required$/,
  ],
  [
    'no page',
    {
      status: 403,
      headers: { 'Content-Type': 'text/html' },
      body: '<h1>Stop</h1><pre>at f (/app/a.js:1:2)</pre>',
    },
    /^403 Forbidden(?!.*app)/,
  ],
]

/** A router with guarded definitions of every kind. */
export function guardedRouter(guard: Middleware, options: RouterOptions = {}) {
  const router = new McpRouter<object>({ logger: quiet, ...options })
  const use = [guard as never]
  let ran = 0
  const count = (): string => {
    ran += 1
    return `ran ${ran}`
  }
  router.tool('ban', { description: 'x', use, handler: count })
  router.tool('free', { description: 'x', handler: () => 'free' })
  router.resource('secret://x', { use, handler: count })
  router.prompt('ask', { description: 'x', use, handler: count })
  return { router, ran: () => ran }
}

/** The app that it was mounted in, at `/mcp`. */
export async function guardedApp(
  { router, ran }: ReturnType<typeof guardedRouter>,
  origin: string,
): Promise<GuardedApp> {
  const url = `${origin}/mcp`
  return { clients: [await legacy(url), modern(url)], url, router, ran }
}

/** Passes what `needsAdmin` guards. */
export const admin = { headers: { 'X-Role': 'admin' } }

interface Guards<M> {
  readonly guarded: (
    middleware: M,
    options?: { without?: 'skip'; exposeErrors?: false },
  ) => Promise<GuardedApp>
  readonly guard: (middleware: M) => Middleware
  /** Answers 403 and `You need the role admin` to all others, in any way there is. */
  readonly needsAdmin: Readonly<Record<string, M>>
  readonly pass: M
  /** 401 with `WWW-Authenticate`. */
  readonly challenge: M
  /** A middleware that sends this response. */
  readonly respond: (response: HttpResponse) => M
}

export function guardSuite<M>({ guarded, guard, needsAdmin, pass, challenge, respond }: Guards<M>): void {
  const [first] = Object.values(needsAdmin) as [M]

  it.each(httpRefusals)('reads %s', async (_, response, says) => {
    const { clients } = await guarded(respond(response), { exposeErrors: false })
    for (const client of clients) expect(expectToolError(await client.call('ban', {}))).toMatch(says)
  })

  it.each(Object.entries(needsAdmin))(
    'refuses what the caller may not do, and runs it for those who may: %s',
    async (_, middleware) => {
      const { clients, ran } = await guarded(middleware)
      for (const client of clients) {
        expect(expectToolError(await client.call('ban', {}))).toContain('You need the role admin')
        expect(expectText(await client.call('free', {}))).toBe('free')
        for (const answer of [
          await client.request('resources/read', { uri: 'secret://x' }),
          await client.request('prompts/get', { name: 'ask' }),
        ]) {
          expect(answer.status).toBe(200)
          expectErrorBody(answer)
          expect(answer.json.error.message).toContain('You need the role admin')
        }
      }
      expect(ran()).toBe(0)
      for (const client of clients) {
        expect(expectText(await client.call('ban', {}, admin))).toMatch(/^ran/)
        expect((await client.request('prompts/get', { name: 'ask' }, admin)).json.result).toBeDefined()
      }
    },
  )

  it('runs each of several guards for every call at the same time with its own response', async () => {
    const { clients } = await guarded(first)
    const [, client] = clients
    const answers = await Promise.all([
      client.call('ban', {}),
      client.call('ban', {}, admin),
      client.call('ban', {}),
    ])
    expect(answers.map(({ json }) => json.result.isError ?? false)).toEqual([true, false, true])
  })

  it('refuses a guarded call that no request of the framework carried, unless told to skip', async () => {
    const { router, ran } = await guarded(pass)
    expect(await router.call('ban')).toMatchObject({ isError: true })
    expect(ran()).toBe(0)
    const skipping = await guarded(first, { without: 'skip' })
    expect(await skipping.router.call('ban')).toMatchObject({ content: [{ text: 'ran 1' }] })
    expectToolError(await skipping.clients[1].call('ban', {}))
  })

  it('leaves a stream that is open already with status 200 and an error in it', async () => {
    const { url, router } = await guarded(pass)
    const begin: Middleware = (call, next) => {
      call.ctx.progress(1)
      return next()
    }
    const use = [begin, guard(challenge)] as never[]
    router.tool('late', { description: 'x', use, handler: () => 'never' })
    const stream = await open(url, { body: rpc('tools/call', { name: 'late', _meta: { progressToken: 1 } }) })
    expect(stream.status).toBe(200)
    expect((await stream.rest()).at(-1)).toMatchObject({ id: 1, error: { code: -31001 } })
  })
}
