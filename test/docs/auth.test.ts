/** What docs/auth.md promises. */

import type { McpRouter } from 'mcp-router'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, listen, modern, type Reply } from './client.js'
import { app, issuer, sign } from './preludes/auth.js'
import { authPage, load } from './programs.js'

let base: string
let router: McpRouter<object>
const resource = 'https://api.example.com/api/mcp'

beforeAll(async () => {
  router = (await load<{ router: McpRouter<object> }>(authPage)).router
  base = await listen(app)
})

async function call(name: string, args: object, claims?: object, at = '/api/mcp'): Promise<Reply> {
  const token = claims === undefined ? undefined : await sign(resource, claims as Record<string, unknown>)
  return ask('tools/call', { name, arguments: args }, token, at)
}

function ask(method: string, params: object, token: string | undefined, at = '/api/mcp'): Promise<Reply> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return modern(base + at, method, params, { headers })
}

const text = ({ messages }: Reply): string => messages[0].result.content[0].text
const challenge = ({ headers }: Reply): string => headers.get('www-authenticate') ?? ''

describe('docs/auth.md', () => {
  it('asks for a token, and says where the metadata is', async () => {
    const refused = await call('task_list', {})
    expect(refused.status).toBe(401)
    expect(challenge(refused)).toBe(
      `Bearer scope="tasks:read", resource_metadata="${resource}/.well-known/oauth-protected-resource"`,
    )
    for (const path of [
      '/.well-known/oauth-protected-resource/api/mcp',
      '/.well-known/oauth-protected-resource',
      '/api/mcp/.well-known/oauth-protected-resource',
    ])
      expect(await (await fetch(base + path)).json()).toMatchObject({
        resource,
        authorization_servers: [issuer],
        scopes_supported: ['tasks:read'],
      })
  })

  it('serves a token that has the scopes, and tells what else is needed', async () => {
    const claims = { scope: 'tasks:read' }
    expect(text(await call('task_list', {}, claims))).toBe('{"tasks":["Water the plants"]}')
    const refused = await call('task_remove', { id: '1' }, claims)
    expect(refused.status).toBe(403)
    expect(challenge(refused)).toContain('error="insufficient_scope"')
    expect(challenge(refused)).toContain('scope="tasks:read tasks:write"')
    expect(text(await call('task_remove', { id: '1' }, { scope: 'tasks:read tasks:write' }))).toBe(
      'removed 1',
    )
    const wrong = await ask('tools/list', {}, await sign('https://api.example.com/other', {}))
    expect([wrong.status, challenge(wrong)]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  })

  it('hides the audit from all but administrators', async () => {
    const names = async (claims: Record<string, unknown>): Promise<string[]> => {
      const { messages } = await ask('tools/list', {}, await sign(resource, claims))
      return messages[0].result.tools.map(({ name }: Json) => name)
    }
    expect(await names({})).toEqual(['task_list', 'task_remove'])
    expect(await names({ role: 'admin' })).toContain('audit')
    expect((await call('audit', {}, {})).messages[0].error.message).toContain('there is no tool')
  })

  it('takes keys of its own', async () => {
    const params = { name: 'task_list', arguments: {} }
    expect(text(await ask('tools/call', params, 'key-1', '/keys/mcp'))).toBe('{"tasks":[]}')
    expect((await ask('tools/call', params, 'key-2', '/keys/mcp')).status).toBe(401)
  })

  it('enforces scopes in process where they are given', async () => {
    expect((await router.call('task_list', {})).isError).toBeUndefined()
    expect((await router.call('task_list', {}, { scopes: ['tasks:read'] })).isError).toBeUndefined()
    await expect(router.call('task_list', {}, { scopes: [] })).rejects.toThrow('tasks:read')
  })
})
