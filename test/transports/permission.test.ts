/** The duration of an open connection's permission when its checks fail, hang, or throw. */

import { McpRouter, UnauthorizedError } from 'mcp-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { coreOf } from '../../src/server/router.js'
import { covers, Permission } from '../../src/transports/auth/permission.js'
import type { PeerOptions } from '../../src/transports/http/http-peer.js'
import { silent } from '../support/silent.js'
import { stopTime } from '../support/time.js'

beforeEach(stopTime)

const request = { method: 'GET', url: '/mcp', headers: {}, raw: {} } as never
const hang = (): Promise<never> => new Promise(() => {})
const reject = (error: object) => () => Promise.reject(error)

interface Given {
  readonly verify?: () => Promise<unknown>
  readonly user?: () => unknown
  readonly expiresAt?: number
  readonly rechecksUser?: boolean
}

/** A watched permission, and the reason of its end. */
function watched({ verify = async () => {}, user, expiresAt, rechecksUser }: Given) {
  const core = coreOf(new McpRouter<object>({ name: 'x', logger: silent, timeoutMs: 0 }))
  const principal = { token: 't', subject: 'ana', scopes: ['a'], claims: {} }
  const auth = { recheck: verify, authOf: () => principal, expiryOf: () => expiresAt }
  const options = {
    core,
    auth,
    user: user ?? (() => undefined),
    hasUserOption: user !== undefined,
    rechecksUser,
  }
  const identity = { user: undefined, auth: principal, scopes: ['a'], context: undefined }
  const permission = new Permission(options as unknown as PeerOptions, request, identity as never)
  const end = vi.fn()
  permission.watch({ check: () => permission.isStillValid(), end })
  const after = async (ms: number): Promise<unknown> => {
    await vi.advanceTimersByTimeAsync(ms)
    return end.mock.calls[0]?.[0]
  }
  return { after, permission }
}

it.each<[string, Given]>([
  ['verify', { verify: hang }],
  ['user', { user: hang }],
])('ends when the token expires, even while `%s` is running', async (_, given) => {
  const { after } = watched({ ...given, expiresAt: Date.now() + 35_000 })
  expect(await after(34_999)).toBeUndefined()
  expect(await after(1)).toBe('expired')
})

it.each<[string, Given]>([
  ['hangs', { verify: hang }],
  ['hangs', { user: hang }],
  ['fails with a 5xx', { verify: reject({ status: 502 }) }],
  ['cannot be reached', { user: reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })) }],
  [
    'cannot be fetched',
    { user: reject(new Error('x', { cause: new TypeError('y', { cause: { code: 'ENOTFOUND' } }) })) },
  ],
])('survives a login that %s, for some minutes', async (_, given) => {
  const { after } = watched(given)
  expect(await after(5 * 60_000)).toBeUndefined()
  expect(await after(5 * 60_000)).toBe('revoked')
})

it.each<[string, object]>([
  ['no session', new Error('no session')],
  [
    'a token that jsonwebtoken refuses',
    Object.assign(new Error('jwt malformed'), { name: 'JsonWebTokenError' }),
  ],
  ['a user that is not found', Object.assign(new Error('no record'), { code: 'P2025' })],
  ['a status of its own', { status: 404 }],
  [
    'an error that throws when it is read',
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('x')
        },
      },
    ),
  ],
])('ends at the second check that throws %s', async (_, error) => {
  for (const given of [{ user: reject(error) }, { verify: reject(error) }]) {
    const { after } = watched(given)
    expect(await after(59_999)).toBeUndefined()
    expect(await after(1)).toBe('revoked')
  }
})

it('resets the count of faults after a successful check', async () => {
  let checks = 0
  const { after } = watched({ user: () => (checks++ % 2 === 0 ? hangless() : undefined) })
  expect(await after(10 * 60_000)).toBeUndefined()
  function hangless(): never {
    throw new Error('a bug')
  }
})

it('ends at once if the caller is refused', async () => {
  const { after } = watched({ user: reject(new UnauthorizedError()) })
  expect(await after(30_000)).toBe('revoked')
})

it('calls a login for one-time tickets only once', async () => {
  const user = vi.fn(() => {
    throw new Error('the ticket was used')
  })
  const { after } = watched({ user, rechecksUser: false })
  expect(await after(10 * 60_000)).toBeUndefined()
  expect(user).not.toHaveBeenCalled()
})

it('covers another one with a subset of its scopes', () => {
  const one = watched({}).permission
  const other = { scopes: ['a', 'b'] } as unknown as Permission
  expect([covers(one, one), covers(other, one), covers(one, other)]).toEqual([true, true, false])
})
