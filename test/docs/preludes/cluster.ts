/** What docs/cluster.md takes for granted: a Redis. */

import { type RedisServer, redisServer } from '../../support/redis-server.js'

export const redis: RedisServer = await redisServer()
process.env.REDIS_URL = redis.url
process.env.MCP_ROUTER_SECRET = 'a secret of all machines'
