/** Listens with Bun's own server. */

import type { Listen } from './host.js'

interface BunServer {
  readonly url: URL
  requestIP(request: Request): { readonly address: string } | null
  stop(closeActiveConnections: boolean): Promise<void>
}
type BunFetch = (request: Request, server: BunServer) => Promise<Response>

interface Bun {
  serve(options: { port: number; hostname: string; idleTimeout: number; fetch: BunFetch }): BunServer
}

export function serveOnBun(fetch: BunFetch): { origin: string; close(): Promise<void> } {
  const { Bun } = globalThis as unknown as { Bun: Bun } // this file is for Bun alone
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch })
  return { origin: server.url.origin, close: () => server.stop(true) }
}

export const listenOnBun: Listen = async (fetch) =>
  serveOnBun((request, server) => fetch(request, { requestIP: (asked) => server.requestIP(asked) }))
