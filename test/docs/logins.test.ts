/** What docs/logins.md promises: each recipe knows its users, and lets nobody else in. */

import type { FastifyInstance } from 'fastify'
import jsonwebtoken from 'jsonwebtoken'
import type Koa from 'koa'
import { beforeAll, expect, it } from 'vitest'
import { type Json, listen, modern, portOf, post } from './client.js'
import { loginsPage } from './logins-page.js'
import { passwords, secret } from './preludes/logins.js'
import { load } from './programs.js'

type Credentials = (id: string, origin: string) => Promise<Record<string, string>>

const byToken: Credentials = async (sub) => {
  const options = { issuer: 'https://login.example.com/', audience: 'tasks', expiresIn: 60 }
  return { Authorization: `Bearer ${jsonwebtoken.sign({ sub }, secret, options)}` }
}
const byPassword: Credentials = async (username, origin) => {
  const { status, headers } = await post(`${origin}/login`, { username, password: passwords[username] })
  expect(status).toBe(200)
  return {
    Cookie: headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  }
}
const byKey: Credentials = async (id) => ({ 'X-Api-Key': `key-of-${id}` })

/** In the order of the page. */
const recipes: [name: string, credentials: Credentials | undefined][] = [
  ['passport with tokens', byToken],
  ['passport with sessions', byPassword],
  ['a session alone', byPassword],
  ['express-jwt', byToken],
  ['express-oauth2-jwt-bearer', byToken],
  ['API keys on Express', byKey],
  ['@fastify/jwt', byToken],
  ['@fastify/passport', byPassword],
  ['API keys on Fastify', byKey],
  ['koa-jwt', byToken],
  ['koa-passport', byToken],
  ['API keys on Koa', byKey],
  ['jwtVerifier', undefined],
  ['introspectionVerifier', undefined],
]

type App = { listen(port: number): never } | Koa | FastifyInstance
let apps: App[]

beforeAll(async () => {
  apps = (await load<{ apps: App[] }>(loginsPage)).apps
})

async function start(app: App | undefined): Promise<string> {
  if (app === undefined) throw new Error('the page has fewer recipes')
  if (!('inject' in app)) return listen(app as never)
  const port = portOf(app.server)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${await port}`
}

const whoami = (origin: string, headers: Record<string, string>): Promise<Json> =>
  modern(`${origin}/mcp`, 'tools/call', { name: 'whoami', arguments: {} }, { headers })

it('has a test for each recipe', () => {
  expect(apps).toHaveLength(recipes.length)
})

it.each(recipes.map(([name, credentials], index) => [name, credentials, index] as const))(
  '%s',
  async (name, credentials, index) => {
    const origin = await start(apps[index])
    for (const id of credentials === undefined ? [] : ['ana', 'ben']) {
      const { messages } = await whoami(origin, await (credentials as Credentials)(id, origin))
      expect(messages[0].result.content[0].text).toBe(id)
    }
    expect((await whoami(origin, {})).status).toBe(401)
    // It would ask a server that is not there.
    if (name === 'introspectionVerifier') return
    expect((await whoami(origin, { Authorization: 'Bearer a.b.c', 'X-Api-Key': 'key-of-eve' })).status).toBe(
      401,
    )
  },
)
