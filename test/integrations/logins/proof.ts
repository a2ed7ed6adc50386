/** What every login must lead to: its user in lists, calls, reads and completion, of both eras, and nobody else's. */

import jsonwebtoken from 'jsonwebtoken'
import { McpRouter } from 'mcp-router'
import { expect } from 'vitest'
import { type Headers, post } from '../../contract/client.js'
import { type Client, legacy, modern } from '../../contract/clients.js'
import { expectResult, expectText } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'

/** The headers with which somebody signs in. */
export type Credentials = (name: string) => Headers | Promise<Headers>

/** For logins that read tokens signed with `secret`. */
export const byToken: Credentials = (sub) => ({
  Authorization: `Bearer ${jsonwebtoken.sign({ sub }, secret)}`,
})

/** Each caller sees a tool of their own beside `whoami`. */
export function knowing(): McpRouter<object> {
  const router = new McpRouter<object>({ name: 'knowing', logger: quiet })
  router.tool('whoami', {
    description: 'x',
    handler: (_, ctx) => (ctx.auth === undefined ? nameOf(ctx.user) : 'a guess'),
  })
  for (const name of ['ann', 'bob']) {
    router.tool(`of-${name}`, {
      description: 'x',
      visible: ({ user }) => nameOf(user) === name,
      handler: () => name,
    })
  }
  router.resource('me://profile', { name: 'me', handler: (_, ctx) => nameOf(ctx.user) })
  router.resource('note://{id}', {
    name: 'note',
    complete: { id: (typed, _, ctx) => [`${typed}-${nameOf(ctx.user)}`] },
    handler: () => undefined,
  })
  return router
}

/** Tokens say `sub`, apps say `id` or `name`. */
function nameOf(user: unknown): string {
  const { sub, id, name } = (user ?? {}) as Record<string, unknown>
  return String(sub ?? id ?? name ?? 'nobody')
}

export async function proveUsers(url: string, credentials: Credentials): Promise<void> {
  for (const name of ['ann', 'bob']) {
    const headers = await credentials(name)
    for (const client of [await legacy(url, { headers }), modern(url, { headers })]) {
      expect(await seenBy(client)).toEqual({
        list: ['whoami', `of-${name}`],
        call: name,
        read: name,
        completion: [`x-${name}`],
      })
    }
  }
}

/** The app lets them in; then they are nobody. */
export async function proveNobody(url: string, headers: Headers = {}): Promise<void> {
  for (const client of [await legacy(url, { headers }), modern(url, { headers })]) {
    expect(await seenBy(client)).toEqual({
      list: ['whoami'],
      call: 'nobody',
      read: 'nobody',
      completion: ['x-nobody'],
    })
  }
}

/** The app's own login answers, before anything of ours does. */
export async function proveRefused(url: string, headers: Headers = {}): Promise<void> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const { status, text } = await post(url, message, headers)
  expect(status).toBe(401)
  expect(text).not.toContain('jsonrpc')
}

async function seenBy(client: Client) {
  const list = expectResult(await client.request('tools/list'))
  const read = expectResult(await client.request('resources/read', { uri: 'me://profile' }))
  const completion = expectResult(
    await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'note://{id}' },
      argument: { name: 'id', value: 'x' },
    }),
  )
  return {
    list: list.tools.map(({ name }: { name: string }) => name),
    call: expectText(await client.call('whoami', {})),
    read: read.contents[0].text,
    completion: completion.completion.values,
  }
}

/** Signs in at `POST /login` with a password, and keeps the cookies. */
export function byPassword(origin: string): Credentials {
  return async (username) => {
    const { status, headers } = await post(`${origin}/login`, { username, password: passwords[username] })
    expect(status).toBe(200)
    const cookies = headers['set-cookie'] ?? []
    return { Cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
  }
}

export const passwords: Readonly<Record<string, string>> = { ann: 'correct horse', bob: 'battery staple' }
export const secret = 'a secret of this test that is long enough'
export const apiKeys: ReadonlyMap<unknown, { name: string }> = new Map([
  ['key-of-ann', { name: 'ann' }],
  ['key-of-bob', { name: 'bob' }],
])
export const byApiKey: Credentials = (name) => ({ 'X-Api-Key': `key-of-${name}` })
