/** What a route that runs as a tool writes to the session is there in the next request, of whatever kind. */

import { McpRouter } from 'mcp-router'
import { expect } from 'vitest'
import { send } from '../../contract/client.js'
import { modern } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'
import { read } from '../route-tools/serve.js'

export interface Data {
  user?: string
  items?: string[]
  seen?: number
}

/** The routes of every app here, in words that all frameworks can translate. */
export interface Shop {
  /** Counts requests, the one of the MCP call among them. */
  count(session: Data): void
  add(session: Data, item: string): Data
}

export const shop: Shop = {
  count: (session) => {
    session.seen = (session.seen ?? 0) + 1
  },
  add: (session, item) => {
    session.items = [...(session.items ?? []), item]
    return { items: session.items }
  },
}

export const quietRouter = (): McpRouter<object> => new McpRouter<object>({ logger: quiet })

/** Cookies as a browser keeps them. */
export class Jar {
  readonly #cookies = new Map<string, string>()

  get header(): Record<string, string> {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`)
    return pairs.length === 0 ? {} : { Cookie: pairs.join('; ') }
  }

  keep(given: readonly string[]): void {
    for (const cookie of given) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /expires=thu, 01 jan 1970/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

/** One browser in front of the app: its own requests, and its tool calls. */
export function browser(origin: string) {
  const jar = new Jar()
  const get = async (path: string): Promise<Data> => {
    const { headers, json } = await send(origin + path, { method: 'GET', headers: jar.header })
    jar.keep(headers['set-cookie'] ?? [])
    return json as Data
  }
  const client = () => modern(`${origin}/mcp`, { headers: jar.header })
  const call = async (tool: string, args: object = {}): Promise<string> => {
    const answer = await client().call(tool, args)
    jar.keep(answer.headers['set-cookie'] ?? [])
    return read(answer).text
  }
  /** The answer of the call begins before the route has done anything. */
  const stream = async (tool: string, args: object): Promise<void> => {
    const params = { name: tool, arguments: args, _meta: { progressToken: 1 } }
    await (await client().open('tools/call', params)).rest()
  }
  return { get, call, stream }
}

interface Expected {
  readonly counts?: number | undefined
  readonly streams?: boolean
}

/**
 * `streams`: what a call writes while its own answer is a stream is kept too. `counts`: the app changes the session in
 * every request, so often until the second look at the cart.
 */
export async function proveKept(origin: string, { counts, streams = true }: Expected = {}): Promise<void> {
  const { get, call, stream } = browser(origin)
  await get('/login/ana')
  expect(await call('cart_add', { item: 'a' })).toContain('"a"')
  expect(await get('/cart')).toMatchObject({ user: 'ana', items: ['a'] })
  expect(await call('cart_add', { item: 'b' })).toContain('"a","b"')
  const { items, seen } = await get('/cart')
  expect(items).toEqual(['a', 'b'])
  expect(seen).toBe(counts)
  if (streams) {
    await stream('cart_add_slowly', { item: 'c' })
    expect((await get('/cart')).items).toEqual(['a', 'b', 'c'])
  }
  // With a new session id, as every login should have one.
  await call('login', { name: 'ben' })
  expect((await get('/cart')).user).toBe('ben')
  await call('logout')
  expect(await get('/cart')).toEqual(counts !== undefined ? { seen: expect.anything() } : {})
}

/** Who comes without a session may log in by a tool, and has one from then on: not one per call. */
export async function proveLogin(origin: string): Promise<void> {
  const { get, call } = browser(origin)
  await call('login', { name: 'ben' })
  expect((await get('/cart')).user).toBe('ben')
  await call('cart_add', { item: 'a' })
  expect((await get('/cart')).items).toEqual(['a'])
}
