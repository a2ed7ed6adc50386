/** Starts both servers and prints how to log in. */

import { start } from './start.js'
import { ana, ben, eve } from './users.js'

const port = Number(process.env.PORT ?? 3000)
const { mcpUrl, issuer, close } = await start(port, port + 1)

console.log(`
MCP        ${mcpUrl}
Login      ${issuer}

Users      ${[ana, ben, eve].map(({ name, password, org }) => `${name} / ${password}, of ${org}`).join('\n           ')}

Settings of an MCP client that can log in:

${JSON.stringify({ mcpServers: { notes: { type: 'http', url: mcpUrl } } }, null, 2)}
`)

process.once('SIGINT', close)
process.once('SIGTERM', close)
