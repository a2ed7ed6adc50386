/** `testClient()` in every revision: lists, calls, questions, notices. */

import { type CallToolResult, McpRouter, PROTOCOL_VERSIONS } from 'mcp-router'
import { type TestClientOptions, testClient, textOf } from 'mcp-router/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

interface User {
  id: string
  role?: string
}
type Env = { user: User | undefined; db: { name: string } }

const quiet = { info() {}, warn() {}, error() {} }
const db = { name: 'test' }
const ana = { id: 'ana' }
const admin = { id: 'eva', role: 'admin' }
let router: McpRouter<Env>

beforeEach(() => {
  router = new McpRouter<Env>({
    name: 'notes',
    version: '1.0.0',
    pageSize: 2,
    logger: quiet,
    instructions: 'Hi',
  })
  router.tool('echo', {
    description: 'd',
    input: z.object({ value: z.unknown() }),
    handler: ({ value }, ctx) => ({ value, user: ctx.user?.id, db: ctx.db.name }),
  })
  router.tool('ban', {
    description: 'd',
    visible: ({ user }) => user?.role === 'admin',
    handler: () => 'banned',
  })
  router.tool('sums', {
    description: 'd',
    input: z.object({ upTo: z.number() }),
    output: z.object({ sum: z.number() }),
    handler({ upTo }, ctx) {
      ctx.progress(1, 2, 'half')
      ctx.log.debug('summed', { upTo })
      ctx.progress(2, 2, 'done')
      return { sum: (upTo * (upTo + 1)) / 2 }
    },
  })
  router.resource('note://{id}', {
    description: 'd',
    list: () => [{ uri: 'note://1', name: 'one' }],
    complete: { id: (typed) => ['1', '12', '2'].filter((id) => id.startsWith(typed)) },
    handler: ({ id }) => (id === '0' ? undefined : `note ${id}`),
  })
  router.resource('config://app', { text: '{}' })
  router.prompt('plan', {
    description: 'd',
    input: z.object({ day: z.string() }),
    complete: { day: (typed, { arguments: chosen }) => (chosen.of === 'x' ? [] : [`${typed}day`]) },
    handler: ({ day }) => `Plan ${day}`,
  })
})

describe.each(PROTOCOL_VERSIONS)('%s', (protocolVersion) => {
  const as = (user: User | undefined, more: Partial<TestClientOptions<Env>> = {}) =>
    testClient(router, { user, context: { db }, protocolVersion, ...more })

  it('lists as a role, all pages', async () => {
    const names = async (user: User | undefined) => (await as(user).listTools()).map(({ name }) => name)
    expect(await names(ana)).toEqual(['echo', 'sums'])
    expect(await names(admin)).toEqual(['echo', 'ban', 'sums'])
    expect((await as(ana).listResources()).map(({ uri }) => uri)).toEqual(['note://1', 'config://app'])
    expect((await as(ana).listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'note://{id}',
    ])
    expect((await as(ana).listPrompts())[0]).toMatchObject({ name: 'plan', arguments: [{ name: 'day' }] })
  })

  it('calls, reads, gets and completes, as the caller', async () => {
    const caller = as(ana)
    expect(caller.protocolVersion).toBe(protocolVersion)
    expect(JSON.parse(textOf(await caller.callTool('echo', { value: 1 })))).toEqual({
      value: 1,
      user: 'ana',
      db: 'test',
    })
    expect(textOf(await caller.readResource('note://7'))).toBe('note 7')
    expect(textOf(await caller.getPrompt('plan', { day: 'Monday' }))).toBe('Plan Monday')
    expect(await caller.complete({ resource: 'note://{id}' }, { name: 'id', value: '1' })).toEqual({
      values: ['1', '12'],
      total: 2,
      hasMore: false,
    })
    const day = { name: 'day', value: 'Sun' }
    expect((await caller.complete({ prompt: 'plan' }, day)).values).toEqual(['Sunday'])
    expect((await caller.complete({ prompt: 'plan' }, day, { of: 'x' })).values).toEqual([])
    expect((await caller.server()).instructions).toBe('Hi')
  })

  it('tells a failure that the model reads from one of the protocol', async () => {
    const failed = await as(ana).callTool('sums', { upTo: 'x' })
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toMatch(/upTo/)
    await expect(as(ana).callTool('ban')).rejects.toMatchObject({ name: 'McpError', code: -32602 })
    await expect(as(ana).readResource('note://0')).rejects.toThrow(/not found/i)
  })

  it('collects progress and log notices', async () => {
    const caller = as(ana)
    const seen: unknown[] = []
    await caller.callTool('sums', { upTo: 3 }, { onProgress: ({ progress }) => seen.push(progress) })
    const message = protocolVersion === '2024-11-05' ? {} : { message: 'done' }
    expect(caller.progress.at(-1)).toEqual({ progress: 2, total: 2, ...message })
    expect(seen).toEqual([1, 2])
    expect(caller.logs).toMatchObject([{ level: 'debug', data: { message: 'summed' } }])
    expect(caller.notices.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/message',
      'notifications/progress',
    ])
    const calm = as(ana, { logLevel: 'error' })
    await calm.callTool('sums', { upTo: 3 })
    expect([calm.logs.length, calm.progress.length]).toEqual([0, 2])
  })

  it('cancels a call by its signal', async () => {
    const stopped = new AbortController()
    const aborted = new Promise<void>((resolve) => {
      router.tool('wait', {
        description: 'd',
        handler: (_, ctx) => {
          ctx.signal.addEventListener('abort', () => resolve())
          stopped.abort(new Error('enough'))
          return new Promise(() => {})
        },
      })
    })
    const call = as(ana).callTool('wait', {}, { signal: stopped.signal })
    await expect(call).rejects.toThrow('enough')
    await aborted
    await expect(as(ana).callTool('echo', {}, { signal: stopped.signal })).rejects.toThrow('enough')
  })

  it('ends running calls when it is closed', async () => {
    const caller = as(ana)
    router.tool('wait', {
      description: 'd',
      handler: () => {
        caller.close()
        return new Promise(() => {})
      },
    })
    await expect(caller.callTool('wait')).rejects.toThrow(/closed/)
    await expect(caller.callTool('echo')).rejects.toThrow(/closed/)
  })
})

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('questions in %s', (protocolVersion) => {
  const asking = (options: Partial<TestClientOptions<Env>>) =>
    testClient(router, { user: ana, context: { db }, protocolVersion, ...options })

  beforeEach(() => {
    router.tool('order', {
      description: 'd',
      async handler(_, ctx) {
        const first = await ctx.elicit({ message: 'How many?', schema: z.object({ count: z.number() }) })
        if (first.action !== 'accept') return `user: ${first.action}`
        const second = await ctx.elicit({ message: 'Sure?', schema: z.object({ sure: z.boolean() }) })
        return { count: first.content.count, sure: second.content?.sure }
      },
    })
  })

  it('go to `elicit`, one after the other', async () => {
    const client = asking({
      elicit: ({ message, requestedSchema }) => {
        expect(requestedSchema).toMatchObject({ type: 'object' })
        return { action: 'accept', content: message === 'Sure?' ? { sure: true } : { count: 3 } }
      },
    })
    expect(JSON.parse(textOf(await client.callTool('order')))).toEqual({ count: 3, sure: true })
    expect(client.asked).toMatchObject([
      { method: 'elicitation/create', params: { message: 'How many?' } },
      { method: 'elicitation/create', params: { message: 'Sure?' } },
    ])
    expect(textOf(await asking({ elicit: () => ({ action: 'decline' }) }).callTool('order'))).toBe(
      'user: decline',
    )
  })

  it('are refused where the client cannot be asked', async () => {
    const refused = asking({}).callTool('order')
    if (protocolVersion === '2026-07-28') await expect(refused).rejects.toThrow(/elicitation/)
    else
      expect(await refused).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('elicitation') }],
      })
    await expect(asking({ capabilities: { elicitation: {} } }).callTool('order')).rejects.toThrow(
      /pass the option `elicit` to testClient\(\)/,
    )
  })

  it('that never end fail the test', async () => {
    let asked = 0
    router.tool('insists', {
      description: 'd',
      async handler(_, ctx) {
        for (;;) await ctx.elicit({ message: 'Sure?', schema: z.object({}), key: `k${asked}` })
      },
    })
    const client = asking({
      elicit: () => {
        asked += 1
        if (asked > 500) throw new Error('asked on and on')
        return { action: 'accept', content: {} }
      },
    })
    await expect(client.callTool('insists')).rejects.toThrow(/times in a row|on and on/)
  })

  it('of a router that closes are refused, lists too', async () => {
    await router.close({ drainMs: 0 })
    await expect(asking({}).listTools()).rejects.toThrow(/closing/)
  })

  it('whose answers throw fail the test, not the handler', async () => {
    const client = asking({
      elicit: () => {
        throw new Error('expected another question')
      },
    })
    await expect(client.callTool('order')).rejects.toThrow('expected another question')
    await expect(asking({ elicit: (() => 'yes') as never }).callTool('order')).rejects.toThrow(
      /\{ action, content \}/,
    )
  })

  it('of `confirm` are asked with the arguments', async () => {
    router.tool('wipe', { description: 'd', confirm: true, handler: () => 'wiped' })
    expect(textOf(await asking({ elicit: () => ({ action: 'accept', content: {} }) }).callTool('wipe'))).toBe(
      'wiped',
    )
    expect((await asking({ elicit: () => ({ action: 'cancel' }) }).callTool('wipe')).isError).toBe(true)
  })

  it('go to `sample` and `roots`', async () => {
    router.tool('look', {
      description: 'd',
      async handler(_, ctx) {
        const [answer, roots] = [
          await ctx.sample({
            messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
            maxTokens: 5,
          }),
          await ctx.roots(),
        ]
        return { model: answer.model, content: answer.content, roots: roots.map(({ uri }) => uri) }
      },
    })
    const content = { type: 'text', text: 'Hello' } as const
    const client = asking({ sample: () => 'Hello', roots: [{ uri: 'file:///a' }] })
    expect(JSON.parse(textOf(await client.callTool('look')))).toEqual({
      model: 'test-model',
      content,
      roots: ['file:///a'],
    })
    const whole = asking({
      sample: ({ maxTokens }) => ({ role: 'assistant', content, model: `m${maxTokens}` }),
      roots: async () => [],
    })
    expect(JSON.parse(textOf(await whole.callTool('look')))).toEqual({ model: 'm5', content, roots: [] })
  })
})

describe.each(PROTOCOL_VERSIONS)('changes in %s', (protocolVersion) => {
  const listening = () => testClient(router, { user: ana, context: { db }, protocolVersion })

  it('are told to a client that listens', async () => {
    const client = listening()
    const asked = { toolsListChanged: true, resourceSubscriptions: ['note://1'] }
    const { notifications, stop } = await client.listen(asked)
    expect(notifications).toEqual(asked)
    const changed = client.nextNotice('notifications/tools/list_changed')
    router.tool('late', { description: 'd', handler: () => '' })
    await changed
    const updated = client.nextNotice('notifications/resources/updated')
    await router.notify.resourceUpdated('note://1')
    expect((await updated).params).toMatchObject({ uri: 'note://1' })
    await stop()
    const updates = () => client.notices.filter(({ method }) => method === 'notifications/resources/updated')
    expect(updates()).toHaveLength(1)
    await router.notify.resourceUpdated('note://1')
    expect(updates()).toHaveLength(1)
  })

  it('are told once it listens for lists alone', async () => {
    const client = listening()
    const { notifications } = await client.listen({ promptsListChanged: true })
    expect(notifications).toEqual({ promptsListChanged: true })
    const changed = client.nextNotice('notifications/prompts/list_changed')
    await router.notify.promptsChanged()
    await changed
    client.close()
    const before = client.notices.length
    await router.notify.promptsChanged()
    expect(client.notices).toHaveLength(before)
    await expect(client.listen({})).rejects.toThrow(/closed/)
  })
})

it('a router without anything is listened to in vain', async () => {
  const empty = testClient(new McpRouter<object>({ logger: quiet }))
  await expect(empty.listen({})).rejects.toMatchObject({ code: -32601 })
})

it.each(['2025-06-18', '2025-11-25'])(
  '`ctx.session` lasts as long as the client, in %s',
  async (protocolVersion) => {
    router.tool('count', {
      description: 'd',
      async handler(_, { session }) {
        const count = ((await session?.get<number>('count')) ?? 0) + 1
        await session?.set('count', count)
        return count
      },
    })
    const client = () => testClient(router, { context: { db }, protocolVersion })
    const first = client()
    expect(textOf(await first.callTool('count'))).toBe('1')
    expect(textOf(await first.callTool('count'))).toBe('2')
    expect(textOf(await client().callTool('count'))).toBe('1')
  },
)

describe('the options', () => {
  it('are checked', () => {
    const make = (options: object) => () => testClient(router, options as never)
    expect(make({ users: ana })).toThrow(/`user`/)
    expect(make({ elicit: 'yes' })).toThrow(/a function/)
    expect(make({ protocolVersion: '2020-01-01' })).toThrow(/2025-11-25/)
    expect(make({ logLevel: 'loud' })).toThrow(/debug/)
    expect(make({ roots: 'x' })).toThrow(/array/)
    expect(() => testClient({} as never)).toThrow(/McpRouter/)
  })

  it('choose the newest revision that the router speaks', async () => {
    const old = new McpRouter<object>({ protocolVersions: ['2025-03-26', '2024-11-05'], logger: quiet })
    expect(testClient(old).protocolVersion).toBe('2025-03-26')
    expect((await testClient(old).server()).serverInfo).toMatchObject({ name: 'mcp-router' })
  })

  it('say who calls: token, scopes, request, client', async () => {
    router.tool('who', {
      description: 'd',
      scopes: ['notes:read'],
      handler: (_, { auth, request, client }) => ({
        tenant: auth?.tenant,
        url: request?.url,
        agent: request?.headers['user-agent'],
        client,
      }),
    })
    const auth = { subject: 'ana', scopes: ['notes:read'], tenant: 't', claims: {} }
    const client = testClient(router, {
      user: ana,
      auth,
      context: { db },
      request: { headers: { 'user-agent': 'x' } },
      clientInfo: { name: 'c', version: '2' },
      capabilities: { experimental: { a: {} } },
    })
    const seen = JSON.parse(textOf(await client.callTool('who')))
    expect(seen).toMatchObject({
      tenant: 't',
      url: '/mcp',
      agent: 'x',
      client: { name: 'c', version: '2', capabilities: { experimental: {} } },
    })
    const without = testClient(router, { user: ana, context: { db }, scopes: [] })
    await expect(without.callTool('who')).rejects.toMatchObject({ code: -31003 })
  })

  it('lists nothing where the router has nothing', async () => {
    const empty = testClient(new McpRouter<object>({ logger: quiet }))
    expect([await empty.listTools(), await empty.listResources(), await empty.listPrompts()]).toEqual([
      [],
      [],
      [],
    ])
  })
})

describe('what arrives', () => {
  it('is what JSON carries', async () => {
    const client = testClient(router, { context: { db } })
    const sent = await client.callTool('echo', { value: { at: new Date(0), none: undefined } })
    expect(JSON.parse(textOf(sent)).value).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    await expect(client.callTool('echo', { value: 1n })).rejects.toThrow(/BigInt/)
  })

  it('textOf() takes every kind of result', () => {
    const result: CallToolResult = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: '', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a://b', text: 'b' } },
      ],
    }
    expect(textOf(result)).toBe('a\nb')
    expect(
      textOf({
        contents: [
          { uri: 'a://b', text: 'x' },
          { uri: 'a://c', blob: '' },
        ],
      }),
    ).toBe('x')
    expect(textOf({ messages: [{ role: 'user', content: { type: 'text', text: 'y' } }] })).toBe('y')
  })
})
