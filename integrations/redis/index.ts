/** The store of several machines, on Redis. */

export { type RedisStore, type RedisStoreOptions, redisStore } from './redis-store.js'
