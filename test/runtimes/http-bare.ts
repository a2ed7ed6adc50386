/** The router of the checks on `bare-http1`. Prints its port. */
import http from 'bare-http1'
import { mcp } from 'mcp-router/bare'
import { sampleRouter } from './checks.js'

const server = http.createServer(mcp(sampleRouter(), { health: true }))
server.listen(0, '127.0.0.1', () => console.log(server.address()?.port))
