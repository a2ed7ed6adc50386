/** Starts the task API and prints how to reach it. */
import { ana, ben } from './db.js'
import { start } from './start.js'

const { url, tokenFor, close } = await start(Number(process.env.PORT ?? 3000))

const token = (await tokenFor(ana.name, ana.password)) ?? '<what POST /login answers>'
const Authorization = `Bearer ${token}`
const server = { type: 'http', url: `${url}/mcp`, headers: { Authorization } }

console.log(`
Task API   ${url}
MCP        ${url}/mcp

Users      ${ana.name} / ${ana.password}
           ${ben.name} / ${ben.password}

A token for ana, good for 8 hours:

${token}

Settings of an MCP client:

${JSON.stringify({ mcpServers: { 'task-api': server } }, null, 2)}

The same for Claude Code:

claude mcp add --transport http task-api ${url}/mcp --header "Authorization: ${Authorization}"
`)

process.once('SIGINT', close)
process.once('SIGTERM', close)
