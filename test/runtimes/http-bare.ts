/** The router of the checks on `bare-http1`. Prints its port, then what it logs. */
import http from 'bare-http1'
import { mcp } from 'mcp-router/bare'
import { sampleRouter } from './checks.js'

const server = http.createServer(
  mcp(sampleRouter({ info: print, warn: print, error: print }), { health: true }),
)
server.listen(0, '127.0.0.1', () => console.log(server.address()?.port))

function print(message: string): void {
  console.log(message)
}
