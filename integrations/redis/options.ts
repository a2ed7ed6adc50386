/** The options of `redisStore()`, checked. */

import { checkOptions, expected } from '../../src/adapter.js'
import type { RedisServers } from './connection.js'

/** Which Redis it is, and how long to wait for it. */
export interface RedisStoreOptions extends RedisServers {
  /** What all keys begin with. Routers that share a store share everything in it. Default `mcp-router:`. */
  readonly prefix?: string | undefined
  /** How long an operation waits for the server before it fails, a lost connection included. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Hears of lost connections; operations that fail are told by the router's `logger` anyway. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const text = expected('a non-empty string', (value) => typeof value === 'string' && value !== '')
const object = expected('an object', (value) => typeof value === 'object' && value !== null)
const duration = expected(
  'a number of milliseconds above 0',
  (value) => typeof value === 'number' && value > 0,
)
const callable = expected('a function', (value) => typeof value === 'function')

const servers = { url: text, client: object, sentinel: object, cluster: object }
const known = { ...servers, prefix: text, timeoutMs: duration, onError: callable }

/** @throws TypeError */
export function checkRedisStoreOptions(options: RedisStoreOptions): void {
  checkOptions('redisStore()', options, { known })
  const { url, client, sentinel, cluster } = options
  const kinds = [url ?? client, sentinel, cluster].filter((one) => one !== undefined)
  if (kinds.length !== 1)
    throw new TypeError(
      `redisStore(): expected one of \`url\` (or \`client\`), \`sentinel\` and \`cluster\`; got ${kinds.length === 0 ? 'none' : 'several'}`,
    )
}
