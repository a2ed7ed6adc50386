/** `scopes`, `requireUser` and `visible`: one rule for listing, calling and everything else. */

import { McpRouter } from 'mcp-router'
import type { AnyMountOptions } from 'mcp-router/adapter'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Answer, Json } from '../client.js'
import { type Client, legacy, modern, stateless } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, quiet, type Served, serve } from '../host.js'

/** A token names its scopes: `ann+read+write`. */
const auth: NonNullable<AnyMountOptions['auth']> = {
  authorizationServers: ['https://login.example'],
  scopesSupported: ['basic'],
  verify(token) {
    const [subject = '', ...scopes] = token.split('+')
    return { subject, scopes, claims: {} }
  },
}
const as = (token: string) => ({ Authorization: `Bearer ${token}` })
const scopes = ['read', 'write']
const extension = 'io.modelcontextprotocol/tasks'
const capabilities = { extensions: { [extension]: {} } }

interface Guarded extends Served {
  readonly ran: string[]
  readonly warnings: string[]
}

/** One of everything, under the same rules. */
async function guarded(host: Host, rules: object, options: AnyMountOptions = { auth }): Promise<Guarded> {
  const warnings: string[] = []
  const warn = (message: string): unknown => warnings.push(message)
  const served = await serve(host, { options, server: { logger: { info() {}, error: warn, warn } } })
  const { router } = served
  const ran: string[] = []
  const handler = (): string => String(ran.push('handler'))
  const complete = { id: () => [String(ran.push('complete'))] }
  const input = z.object({ id: z.string() })
  router.tool('guarded', { description: 'd', ...rules, handler })
  router.tool('long', { description: 'd', ...rules, task: 'required', handler })
  router.resource('guarded://fixed', { ...rules, handler })
  router.resource('guarded://{id}/any', {
    ...rules,
    handler,
    complete,
    list: () => [{ uri: 'guarded://1/any', name: String(ran.push('list')) }],
  })
  router.prompt('guarded', { description: 'd', ...rules, input, complete, handler })
  return { ...served, ran, warnings }
}

const argument = { name: 'id', value: '' }
const uses: Record<string, [method: string, params: object]> = {
  'a tool': ['tools/call', { name: 'guarded' }],
  'a task': ['tools/call', { name: 'long' }],
  'a resource': ['resources/read', { uri: 'guarded://fixed' }],
  'a resource of a template': ['resources/read', { uri: 'guarded://7/any' }],
  'a prompt': ['prompts/get', { name: 'guarded', arguments: { id: '1' } }],
  'completion of a prompt': [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'guarded' }, argument },
  ],
  'completion of a template': [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'guarded://{id}/any' }, argument },
  ],
}

const speaking = (url: string, token?: string): Client =>
  modern(url, {
    meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
    headers: token === undefined ? {} : as(token),
  })

const named = (list: Json[]): string[] => list.map(({ name, uriTemplate }) => uriTemplate ?? name)

async function listed(client: Client): Promise<Record<string, string[]>> {
  const names = async (method: string, member: string) =>
    named(expectResult(await client.request(method))[member] ?? [])
  return {
    tools: (await names('tools/list', 'tools')).filter((name) => ['guarded', 'long'].includes(name)),
    resources: (await names('resources/list', 'resources')).filter((name) => name !== 'app'),
    templates: await names('resources/templates/list', 'resourceTemplates'),
    prompts: (await names('prompts/list', 'prompts')).filter((name) => name === 'guarded'),
  }
}

function expectStepUp(answer: Answer, ...held: string[]): void {
  expectError(answer, 403, -31003, 1)
  const challenge = answer.headers['www-authenticate'] ?? ''
  expect(challenge).toContain('error="insufficient_scope"')
  expect(challenge).toMatch(/resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource\/mcp"/)
  const asked = /scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ').sort()
  expect(asked).toEqual([...new Set([...scopes, ...held])].sort())
  expect(answer.json.error.data).toEqual({ scopes })
}

export function authScopes(host: Host): void {
  it.each(Object.entries(uses))(
    'asks for every scope that %s needs, in both eras',
    async (what, [method, params]) => {
      const { url, ran } = await guarded(host, { scopes })
      for (const held of [[], ['read'], ['other', 'write']]) {
        const token = ['ann', ...held].join('+')
        expectStepUp(await speaking(url, token).request(method, params), ...held)
        expectStepUp(await stateless(url, '2025-11-25', as(token)).request(method, params), ...held)
        expectStepUp(await (await legacy(url, { headers: as(token) })).request(method, params), ...held)
      }
      expect(ran).toEqual([])
      expectResult(await speaking(url, 'ann+write+other+read').request(method, params))
      if (what !== 'a task') expect(ran).toHaveLength(1)
    },
  )

  it('hides nothing for want of scopes, but lists no resources that a handler would name', async () => {
    const { url, ran } = await guarded(host, { scopes })
    const all = {
      tools: ['guarded', 'long'],
      templates: ['guarded://{id}/any'],
      prompts: ['guarded'],
    }
    expect(await listed(speaking(url, 'ann'))).toEqual({ ...all, resources: ['fixed'] })
    expect(ran).toEqual([])
    expect(await listed(speaking(url, 'ann+read+write'))).toEqual({ ...all, resources: ['fixed', '1'] })
  })

  it('asks for them before a subscription, in both eras', async () => {
    const { url } = await guarded(host, { scopes })
    const client = await legacy(url, { headers: as('ann+read') })
    expectStepUp(await client.request('resources/subscribe', { uri: 'guarded://fixed' }), 'read')
    const wanted = (uris: string[]) => ({ notifications: { resourceSubscriptions: uris } })
    const uris = ['config://app', 'guarded://fixed', 'guarded://1/any', 'nothing://here']
    expectStepUp(await speaking(url, 'ann').request('subscriptions/listen', wanted(uris)))
    const stream = await speaking(url, 'ann+read+write').open('subscriptions/listen', wanted(uris))
    const { params } = await stream.next()
    expect(params.notifications.resourceSubscriptions).toEqual(uris.slice(0, 3))
    stream.leave()
  })

  it('asks for them at a task that began with them', async () => {
    const { url } = await guarded(host, { scopes })
    const full = speaking(url, 'ann+read+write')
    const { taskId } = expectResult(await full.call('long', {}))
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }
      const extra = { headers: { 'Mcp-Name': taskId } }
      expectStepUp(await speaking(url, 'ann+read').request(method, params, extra), 'read')
      expectResult(await full.request(method, params, extra))
    }
  })

  it('asks for them at a task of a router that is mounted in another', async () => {
    const { url, router } = await guarded(host, {})
    const inner = new McpRouter<object>({ logger: quiet })
    inner.tool('long', { description: 'd', task: 'required', scopes, handler: () => '' })
    router.use('inner', inner)
    const { taskId } = expectResult(await speaking(url, 'ann+read+write').call('inner_long', {}))
    const extra = { headers: { 'Mcp-Name': taskId } }
    expectStepUp(await speaking(url, 'ann').request('tasks/get', { taskId }, extra))
  })

  it('asks anonymous callers of an optional mount for a token with these scopes', async () => {
    const { url, ran } = await guarded(host, { scopes }, { auth: { ...auth, optional: true } })
    const refused = await speaking(url).request(...(uses['a tool'] as [string, object]))
    expectError(refused, 401, -31001, 1)
    expect(refused.headers['www-authenticate']).toMatch(/scope="read write"/)
    expect(refused.headers['www-authenticate']).not.toContain('error=')
    expect(ran).toEqual([])
  })

  it.each(Object.entries(uses))(
    'refuses %s where the mount checks no tokens',
    async (_, [method, params]) => {
      const { url, ran, warnings } = await guarded(host, { scopes }, { user: () => ({ id: 'ann' }) })
      const refused = await speaking(url, 'ann+read+write').request(method, params)
      expectError(refused, 403, -31003, 1)
      expect(refused.headers['www-authenticate']).toBeUndefined()
      expect(refused.json.error.message).toContain('read, write')
      expect(warnings).toEqual([expect.stringContaining('`auth`')])
      expect(ran).toEqual([])
    },
  )

  it('enforces them in process where they are given', async () => {
    const { router } = await guarded(host, { scopes })
    const who = { subject: 'ann', claims: {} }
    await router.call('guarded', {})
    await router.call('guarded', {}, { user: 'ann' })
    await router.call('guarded', {}, { scopes })
    await router.call('guarded', {}, { auth: { ...who, scopes } })
    for (const caller of [{ scopes: ['read'] }, { scopes: [] }, { auth: { ...who, scopes: ['read'] } }]) {
      await expect(router.call('guarded', {}, caller)).rejects.toMatchObject({
        code: -31003,
        data: { scopes },
      })
      await expect(router.read('guarded://fixed', caller)).rejects.toMatchObject({ code: -31003 })
    }
  })

  it('refuses the scopes of a batch one by one', async () => {
    const { url } = await guarded(host, { scopes })
    const client = stateless(url, '2025-03-26', as('ann'))
    expectStepUp(await client.request('tools/call', { name: 'guarded' }))
    expect((await client.request('ping')).status).toBe(200)
  })

  it('hides from lists and answers "not found" by `visible`, whatever is asked for', async () => {
    const visible = ({ auth: caller }: { auth: { subject: string } | undefined }) => caller?.subject === 'ann'
    const { url, ran } = await guarded(host, { visible, scopes: ['read'] })
    const [ann, bob] = [speaking(url, 'ann+read'), speaking(url, 'bob')]
    expect(await listed(bob)).toEqual({ tools: [], resources: [], templates: [], prompts: [] })
    expect((await listed(ann)).tools).toEqual(['guarded', 'long'])
    expect(ran).toEqual([1].map(() => 'list'))
    for (const [method, params] of Object.values(uses)) {
      const { status, json, headers } = await bob.request(method, params)
      expect([status, json.error.code, headers['www-authenticate']]).toEqual([200, -32602, undefined])
      expectResult(await ann.request(method, params))
    }
    const { taskId } = expectResult(await ann.call('long', {}))
    const extra = { headers: { 'Mcp-Name': taskId } }
    expectResult(await ann.request('tasks/get', { taskId }, extra))
    const wanted = { notifications: { resourceSubscriptions: ['guarded://fixed'] } }
    const stream = await bob.open('subscriptions/listen', wanted)
    expect((await stream.next()).params.notifications.resourceSubscriptions).toEqual([])
    stream.leave()
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
      expect(expectResult(await ann.request(method)).cacheScope).toBe('private')
  })

  it('forgets a task whose tool its caller may not see any more', async () => {
    const seen = { now: true }
    const { url } = await guarded(host, { visible: () => seen.now })
    const ann = speaking(url, 'ann')
    const { taskId } = expectResult(await ann.call('long', {}))
    const get = async () =>
      (await ann.request('tasks/get', { taskId }, { headers: { 'Mcp-Name': taskId } })).json
    await vi.waitFor(async () => expect((await get()).result.status).toBe('completed'), { interval: 2 })
    seen.now = false
    expect((await get()).error.code).toBe(-32602)
  })

  it.each([[['a b']], [['']], [['"']], ['read'], [[5]]])(
    'throws at once for the scopes %j',
    async (wrong) => {
      await expect(guarded(host, { scopes: wrong })).rejects.toThrow(/scopes/)
    },
  )
}
