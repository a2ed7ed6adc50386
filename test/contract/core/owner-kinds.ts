/** Two logins of one app may give the same id to different people. */

import { expect, it } from 'vitest'
import { send } from '../client.js'
import { legacy } from '../clients.js'
import { expectError, expectResult } from '../expect.js'
import { type Host, serve } from '../host.js'

export function ownerKinds(host: Host): void {
  it.each([
    [{ sub: '5' }, { id: 5 }],
    [{ id: 5 }, { sub: '5' }],
    [{ id: 5 }, { _id: { toString: () => '5' } }],
    [{ id: '5' }, { userId: 5 }],
    [{ sub: '5' }, '5'],
    [
      { id: 5, tenant: 'acme' },
      { id: 5, tenant: 'globex' },
    ],
    [{ id: 5, tenantId: 1 }, { id: 5 }],
    [
      { id: 5, tenant: { id: 1 } },
      { id: 5, tenant: { id: 2 } },
    ],
  ])('refuses %j the session of %j', async (other, owner) => {
    const { url } = await serve(host, {
      login: ({ 'x-user': who }) => (who === 'other' ? other : owner),
    })
    const client = await legacy(url)
    const as = { 'X-User': 'other' }
    expectError(await client.request('ping', {}, { headers: as }), 403, -31003, 1)
    const headers = { 'Mcp-Session-Id': client.sessionId, ...as }
    expectError(await send(url, { method: 'DELETE', headers }), 403, -31003)
    expectResult(await client.request('ping'))
    expect(client.sessionId).toBeDefined()
  })
}
