/** The token cache under many invalid tokens. */

import { UnauthorizedError } from 'mcp-router'
import { expect, it, vi } from 'vitest'
import { TokenCache } from '../../../src/transports/auth/token-cache.js'

it('keeps a valid token cached, however many invalid ones arrive', async () => {
  const verify = vi.fn((token: string) => {
    if (token === 'good') return { subject: 'ann', scopes: [], claims: {} }
    throw new UnauthorizedError()
  })
  const verdicts = new TokenCache({ verify, cacheMs: 600_000, timeoutMs: 0 })
  const use = { resource: 'https://api.example.com/mcp', request: {} as never }
  const ask = async (token: string) => verdicts.get(token, use)
  expect(await ask('good')).toMatchObject({ subject: 'ann' })
  for (let n = 0; n < 11_000; n++) await ask(`bad${n}`).catch(() => {})
  expect(await ask('good')).toMatchObject({ subject: 'ann' })
  expect(verify.mock.calls.filter(([token]) => token === 'good')).toHaveLength(1)
})
