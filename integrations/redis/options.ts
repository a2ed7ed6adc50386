/** The options of `redisStore()`, checked. */

import { checkOptions, expected } from '../../src/adapter.js'
import type { RedisServers } from './connection.js'

/** Options of `redisStore()`: the servers, the prefix of keys and the time limit. */
export interface RedisStoreOptions extends RedisServers {
  /** The prefix of all keys. Routers with the same servers and prefix share all data. Default `mcp-router:`. */
  readonly prefix?: string | undefined
  /** How long an operation waits for the server, reconnecting included, before it fails. Milliseconds, default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Called with lost connections. The router's `logger` logs failed operations in any case. */
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

/** Checks the options. @throws TypeError */
export function checkRedisStoreOptions(options: RedisStoreOptions): void {
  checkOptions('redisStore()', options, { known })
  const { url, client, sentinel, cluster } = options
  const kinds = [url ?? client, sentinel, cluster].filter((server) => server !== undefined)
  if (kinds.length !== 1)
    throw new TypeError(
      `redisStore(): expected one of \`url\` (or \`client\`), \`sentinel\` and \`cluster\`; got ${kinds.length === 0 ? 'none' : 'several'}`,
    )
}
