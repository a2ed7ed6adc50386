/** The store of several machines, on Redis. */

export { type RedisStore, type RedisStoreOptions, type RedisStoreStatus, redisStore } from './redis-store.js'
