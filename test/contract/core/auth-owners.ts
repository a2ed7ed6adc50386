/** What outlives a request belongs to the subject and the tenant whose token began it. */

import type { McpRouter } from 'mcp-router'
import type { AnyMountOptions } from 'mcp-router/adapter'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { open, post, send } from '../client.js'
import { legacy, modern, rpc } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, type Served, serve } from '../host.js'

/** A token says everything: `subject.tenant.issuer`. */
const auth: NonNullable<AnyMountOptions['auth']> = {
  authorizationServers: ['https://login.example'],
  verify(token) {
    const [subject = '', org, iss] = token.split('.')
    return { subject, scopes: [], claims: { org, iss } }
  },
  tenant: ({ org }) => org,
  optional: true,
}
const as = (token: string | undefined) => (token === undefined ? {} : { Authorization: `Bearer ${token}` })
const owner = 'ann.a.idp'
const others = ['ann.b.idp', 'ann', 'bob.a.idp', 'ann.a.other', undefined] as const
const extension = 'io.modelcontextprotocol/tasks'
const capable = {
  meta: {
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [extension]: {} } },
  },
}

async function owned(host: Host, options: AnyMountOptions = {}): Promise<Served & { warnings: string[] }> {
  const warnings: string[] = []
  const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
  const served = await serve(host, { options: { auth, legacySse: true, ...options }, server: { logger } })
  add(served.router)
  return { ...served, warnings }
}

function add(router: McpRouter<object>): void {
  router.tool('ask', {
    description: 'Asks',
    async handler(_, ctx) {
      const { content } = await ctx.elicit({
        message: 'Who?',
        schema: z.object({ name: z.string() }),
        key: 'who',
      })
      return String(content?.name)
    },
  })
  router.tool('long', { description: 'Takes long', task: 'required', handler: () => 'done' })
}

export function authOwners(host: Host): void {
  it.each(others)('refuses the session of one caller to %s, and logs it', async (other) => {
    const { url, warnings } = await owned(host)
    const client = await legacy(url, { headers: as(owner) })
    const headers = { 'Mcp-Session-Id': client.sessionId, Authorization: undefined, ...as(other) }
    const get = { method: 'GET', headers: { Accept: 'text/event-stream', ...headers } }
    expectError(await post(url, rpc('ping'), headers), 403, -31003, 1)
    expectError(
      await post(url, rpc('tools/call', { name: 'echo', arguments: { text: '' } }), headers),
      403,
      -31003,
      1,
    )
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 'x', result: {} },
    ])
      expectError(await post(url, message, headers), 403, -31003)
    expectError(await send(url, get), 403, -31003)
    expectError(await send(url, { method: 'DELETE', headers }), 403, -31003)
    expect(warnings.filter((line) => line.includes('session')).length).toBeGreaterThanOrEqual(6)
    expectResult(await client.request('ping'))
  })

  it('takes no answer to a question from another caller, and replays nothing to one', async () => {
    const { url, release, running } = await owned(host)
    const client = await legacy(url, { headers: as(owner), capabilities: { elicitation: {} } })
    const stream = await client.open('tools/call', { name: 'ask', arguments: {} })
    const { id } = await stream.next()
    const reply = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Eve' } } }
    const own = { 'Mcp-Session-Id': client.sessionId }
    expectError(await post(url, reply, { ...own, ...as(others[0]) }), 403, -31003)
    const content = { name: 'Ann' }
    const right = { ...reply, result: { action: 'accept', content } }
    expect((await post(url, right, { ...own, ...as(owner) })).status).toBe(202)
    expect((await stream.next()).result.content).toEqual([{ type: 'text', text: 'Ann' }])

    const progressing = { name: 'stream', arguments: {}, _meta: { progressToken: 1 } }
    const broken = await client.open('tools/call', progressing, { id: 2 })
    const primed = await broken.nextEvent()
    await running.opened
    broken.leave()
    const back = { Accept: 'text/event-stream', 'Last-Event-ID': primed?.id, ...own }
    for (const other of others)
      expectError(await send(url, { method: 'GET', headers: { ...back, ...as(other) } }), 403, -31003)
    release.open()
    const again = await client.listen({ 'Last-Event-ID': primed?.id })
    expect((await again.rest()).at(-1)).toMatchObject({ id: 2, result: {} })
  })

  it.each(others)('refuses the task of one caller to %s, and logs it', async (other) => {
    const { url, warnings } = await owned(host)
    const client = modern(url, { ...capable, headers: as(owner) })
    const { taskId } = expectResult(await client.call('long', {}))
    const extra = { headers: { 'Mcp-Name': taskId } }
    const stranger = modern(url, { ...capable, headers: as(other) })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }
      expectError(await stranger.request(method, params, extra), 403, -31003, 1)
    }
    expect(warnings.filter((line) => line.includes('task'))).toHaveLength(3)
    expectResult(await client.request('tasks/get', { taskId }, extra))
  })

  it.each(others)('refuses the requestState of one caller to %s, and logs it', async (other) => {
    const { url, warnings } = await owned(host)
    const client = modern(url, { ...capable, headers: as(owner) })
    const call = { name: 'ask', arguments: {} }
    const { requestState } = expectResult(await client.request('tools/call', call))
    const inputResponses = { who: { action: 'accept', content: { name: 'Ann' } } }
    const again = { ...call, requestState, inputResponses }
    const stranger = modern(url, { ...capable, headers: as(other) })
    expectError(await stranger.request('tools/call', again), 403, -31003, 1)
    expect(warnings.filter((line) => line.includes('requestState'))).toHaveLength(1)
    expectResult(await client.request('tools/call', again))
  })

  it.each(others)('refuses the 2024-11-05 stream of one caller to %s, and logs it', async (other) => {
    const { url, origin, warnings } = await owned(host)
    const stream = await open(`${url}/sse`, { method: 'GET', headers: as(owner) })
    const endpoint = origin + (await stream.nextEvent())?.data
    expectError(await post(endpoint, rpc('ping'), as(other)), 403, -31003)
    expect(warnings.filter((line) => line.includes('session'))).toHaveLength(1)
    expect((await post(endpoint, rpc('ping'), as(owner))).status).toBe(202)
    stream.leave()
  })

  it('does not let a signed-in caller go on with an anonymous session', async () => {
    const { url } = await owned(host)
    const client = await legacy(url)
    expectError(await client.request('ping', {}, { headers: as(owner) }), 403, -31003, 1)
    expectResult(await client.request('ping'))
  })

  it('tells tenants apart where `userId` names the caller', async () => {
    const options = {
      user: () => ({ name: 'ann' }),
      userId: (user: unknown) => (user as { name: string }).name,
    }
    const { url } = await owned(host, options)
    const client = await legacy(url, { headers: as(owner) })
    expectResult(await client.request('ping', {}, { headers: as('other.a.idp') }))
    expectError(await client.request('ping', {}, { headers: as('ann.b.idp') }), 403, -31003, 1)
  })

  it('keeps a session through tokens that come and go', async () => {
    const { url } = await owned(host)
    const client = await legacy(url, { headers: as(owner) })
    expectResult(await client.request('ping', {}, { headers: as(`${owner}.renewed`) }))
    expectError(await client.request('ping', {}, { headers: as('%') }), 401, -31001)
  })
}
