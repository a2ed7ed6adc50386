/** A session belongs to whoever opened it. */

import { expect, it } from 'vitest'
import { type Headers, post, send } from '../client.js'
import { initialize, legacy, stateless } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, serve } from '../host.js'

const secret = 'a secret of the contract'
const login = ({ 'x-user': id }: Headers): unknown =>
  id === undefined ? undefined : { id, name: `${id} ${id}` }
const as = (id: string) => ({ headers: { 'X-User': id } })

export function owners(host: Host): void {
  it('answers 403 to another caller, and lets that one end nothing', async () => {
    const { url } = await serve(host, { login })
    const { sessionId } = await legacy(url, as('ann'))
    const session = stateless(url, undefined, { 'Mcp-Session-Id': sessionId })
    expectError(await session.request('ping', {}, as('bob')), 403, -31003, 1)
    const ended = await send(url, {
      method: 'DELETE',
      headers: { 'Mcp-Session-Id': sessionId, 'X-User': 'bob' },
    })
    expectError(ended, 403, -31003)
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expectError(await post(url, note, { 'Mcp-Session-Id': sessionId, 'X-User': 'bob' }), 403, -31003)
    expectResult(await session.request('ping', {}, as('ann')))
    expectError(await session.request('ping', {}, as('bob')), 403, -31003, 1)
  })

  it('answers 403 to nobody in the session of a signed-in caller, and the other way round', async () => {
    const { url } = await serve(host, { login })
    const ann = await legacy(url, as('ann'))
    const nobody = await legacy(url)
    expectError(
      await stateless(url, undefined, { 'Mcp-Session-Id': ann.sessionId }).request('ping'),
      403,
      -31003,
      1,
    )
    expectError(await nobody.request('ping', {}, as('ann')), 403, -31003, 1)
    expectResult(await nobody.request('ping'))
  })

  it('logs a foreign caller', async () => {
    const warnings: string[] = []
    const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
    const { url } = await serve(host, { login, server: { logger } })
    const ann = await legacy(url, as('ann'))
    await ann.request('ping', {}, as('bob'))
    expect(warnings).toEqual([expect.stringMatching(/session/)])
  })

  it('tells callers apart by `userId`, in whatever type it is', async () => {
    const options = { userId: (user: unknown) => (user as { id: string; name: string }).name }
    const { url } = await serve(host, { login, options })
    const ann = await legacy(url, as('ann'))
    expectResult(await ann.request('ping'))
    expectError(await ann.request('ping', {}, as('bob')), 403, -31003, 1)
  })

  it.each([{ sub: 's' }, { id: 0 }, { _id: { toString: () => 'oid' } }, { userId: 7 }, 'plain'])(
    'binds a session to the caller %j without being told how',
    async (user) => {
      const { url } = await serve(host, {
        login: ({ 'x-user': id }) => (id === 'other' ? { id: 'other' } : user),
      })
      const client = await legacy(url)
      expectResult(await client.request('ping'))
      expectError(await client.request('ping', {}, as('other')), 403, -31003, 1)
    },
  )

  it('hands out no session to a caller whose id it cannot tell, serves it all the same, and says why', async () => {
    const warnings: string[] = []
    const logger = { info() {}, error() {}, warn: (message: string) => warnings.push(message) }
    const { url } = await serve(host, { login: () => ({ name: 'nameless' }), server: { logger } })
    const opened = await post(url, initialize())
    expectResult(opened)
    expect(opened.headers['mcp-session-id']).toBeUndefined()
    expectResult(await stateless(url).request('tools/list'))
    expect(warnings).toEqual([expect.stringContaining('userId')])
  })

  it('opens the session of a caller on another machine that shares the secret', async () => {
    const [first, second] = [
      await serve(host, { login, server: { secret } }),
      await serve(host, { login, server: { secret } }),
    ]
    const { sessionId } = await legacy(first.url, as('ann'))
    const there = stateless(second.url, undefined, { 'Mcp-Session-Id': sessionId })
    expectResult(await there.request('ping', {}, as('ann')))
    expectError(await there.request('ping', {}, as('bob')), 403, -31003, 1)
  })
}
