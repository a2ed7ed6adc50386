/** The store of several machines, on Redis. */

export type { RedisStoreOptions } from './options.js'
export { type RedisStore, redisStore } from './redis-store.js'
