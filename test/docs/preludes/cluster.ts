/** What docs/cluster.md takes for granted: a Redis, users, a report. */

import { type RedisServer, redisServer } from '../../support/redis-server.js'

export const redis: RedisServer = await redisServer()
process.env.REDIS_URL = redis.url
process.env.MCP_ROUTER_SECRET = 'a secret of all machines'

export const users = { find: (id: string | number) => ({ id, name: 'Ana' }) }
export const written: number[] = []
export const writeMonth = async (month: number): Promise<void> => void written.push(month)
export const mail = async (text: string): Promise<void> => void mails.push(text)
export const mails: string[] = []
