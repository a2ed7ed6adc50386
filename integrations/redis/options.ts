/** Checks what `redisStore()` is given. */

import { checkOptions, expected } from '../../src/adapter.js'
import type { RedisStoreOptions } from './redis-store.js'

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
