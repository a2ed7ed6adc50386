/** Starts the API on `PORT`. */

import { randomBytes } from 'node:crypto'
import { createApp } from './app.js'

const app = await createApp(process.env.JWT_SECRET ?? randomBytes(32).toString('hex'), true)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
const url = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`REST at ${url}/notes, MCP at ${url}/mcp; sign in at ${url}/login as ana, "correct horse"`)
