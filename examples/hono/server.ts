/** Starts the notes API and prints how to reach it. */
import { start } from './start.js'

const { url, close } = await start(Number(process.env.PORT ?? 3000))

console.log(`
Notes API  ${url}
MCP        ${url}/mcp

A token    curl -s ${url}/login -d '{"name":"ana","password":"ana-likes-lists"}'
`)

process.once('SIGINT', close)
process.once('SIGTERM', close)
