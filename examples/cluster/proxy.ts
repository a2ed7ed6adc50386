/** A plain round-robin proxy: each request goes to the next machine that is up. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'

export function roundRobin(origins: readonly string[]): Server {
  let next = 0
  return createServer((req, res) => pass(req, res, origins.length))

  function pass(req: IncomingMessage, res: ServerResponse, tries: number): void {
    const origin = new URL(origins[next++ % origins.length] as string)
    const { method, url, headers } = req
    const { hostname: host, port } = origin
    const onward = request({ agent: false, host, port, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.once('error', (error: NodeJS.ErrnoException) => {
      // No part of the response was sent yet.
      if (error.code === 'ECONNREFUSED' && tries > 1) return pass(req, res, tries - 1)
      if (!res.headersSent) res.writeHead(502)
      res.end()
    })
    // Passes on a disconnect, so that the machine notices when a client leaves.
    res.once('close', () => onward.destroy())
    onward.once('socket', (socket) => {
      socket.setNoDelay(true)
      socket.once('connect', () => req.pipe(onward))
    })
  }
}
