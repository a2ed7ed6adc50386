/** CORS around an endpoint whose app has a login: a page of another origin gets through its preflight, and reads every answer. */

import { McpRouter } from 'mcp-router'
import { expect, vi } from 'vitest'
import { type Answer, post, send } from '../../contract/client.js'
import { rpc } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'

export const page = 'https://app.example.com'
export const allowedOrigins = [page]
const exposed = ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After']
/** For the CORS packages of Express and Fastify. */
export const pages = { origin: allowedOrigins, credentials: true, exposedHeaders: exposed }
/** The same for @koa/cors. */
export const koaPages = {
  origin: (ctx: { get(name: string): string }) => (ctx.get('Origin') === page ? page : ''),
  credentials: true,
  exposeHeaders: exposed,
}

/** A router, and what it warned of. */
export function warned(): { router: McpRouter<object>; warnings: () => string } {
  const warn = vi.fn()
  const router = new McpRouter<object>({ name: 'pages', logger: { ...quiet, warn } })
  return { router, warnings: () => warn.mock.calls.map(([message]) => String(message)).join('\n') }
}

const authorization = { Authorization: 'Bearer x' }

export function preflight(url: string): Promise<Answer> {
  return send(url, {
    method: 'OPTIONS',
    headers: {
      Origin: page,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
    },
  })
}

/** A call with credentials, which any login of these tests lets pass. */
export function signedIn(url: string): Promise<Answer> {
  return post(url, rpc('tools/list'), { ...authorization, Origin: page })
}

export async function expectPagesToGetThrough(url: string): Promise<void> {
  const allowed = await preflight(url)
  expect(allowed).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': page } })
  expect(allowed.headers['access-control-allow-headers']).toMatch(/authorization/i)
  const refused = await post(url, rpc('tools/list'), { Origin: page })
  const answered = await signedIn(url)
  expect([refused.status, answered.status]).toEqual([401, 200])
  for (const { headers } of [refused, answered]) {
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.stringMatching(/www-authenticate/i),
    })
    expect(String(headers.vary).match(/origin/gi)).toHaveLength(1)
  }
  const stranger = await post(url, rpc('tools/list'), { ...authorization, Origin: 'https://evil.example' })
  expect(stranger.headers['access-control-allow-origin']).toBeUndefined()
}
