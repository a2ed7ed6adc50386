/** `mcp-router/redis`: a store on Redis for routers on several machines. */

export type { RedisStoreOptions } from './options.js'
export { type RedisStore, redisStore } from './redis-store.js'
