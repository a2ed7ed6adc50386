/** What docs/fastify.md promises. */

import jsonwebtoken from 'jsonwebtoken'
import type {} from 'mcp-router/fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modern, post } from './client.js'
import { app, secret } from './preludes/fastify.js'
import { fastifyPage, load } from './programs.js'

describe('the page', () => {
  let url: string
  const as = (sub: string, role?: string) => ({
    headers: { Authorization: `Bearer ${jsonwebtoken.sign({ sub, role }, secret)}` },
  })
  const call = async (name: string, args: object, extra: object) =>
    (await modern(url, 'tools/call', { name, arguments: args }, extra)).messages[0].result

  beforeAll(async () => {
    await load(fastifyPage)
    url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  })
  afterAll(async () => void (await app.close()))

  it('shows users their notes, and nobody else', async () => {
    expect(await call('note_list', {}, as('ana'))).toMatchObject({ content: [{ text: '["Buy milk"]' }] })
    expect(await call('note_list', {}, as('ben'))).toMatchObject({ content: [{ text: '[]' }] })
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401)
  })

  it('refuses through the hooks of the app, with the seconds to wait', async () => {
    const add = (role?: string, user = 'ana') => call('note_add', { text: 'x' }, as(user, role))
    expect(await add()).toMatchObject({ isError: true, content: [{ text: 'You need the role editor' }] })
    for (const _ of [1, 2]) expect(await add('editor')).toMatchObject({ content: [{ text: 'added x' }] })
    expect(await add('editor')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/Try again in \d+ seconds/) }],
    })
    // From the same address.
    expect(await add('editor', 'ben')).toMatchObject({ content: [{ text: 'added x' }] })
  })

  it('tells its health behind the same login, and has the router at hand', async () => {
    expect((await fetch(`${url}/health`)).status).toBe(401)
    expect(await (await fetch(`${url}/health`, as('ana'))).json()).toMatchObject({
      status: 'ok',
      server: 'notes',
    })
    expect(app.mcp.has('tool', 'note_add')).toBe(true)
  })
})
