/** Listens with Deno's own server. */

import type { Listen } from './host.js'

type DenoFetch = (request: Request, info: { readonly remoteAddr: object }) => Promise<Response>

interface Deno {
  serve(
    options: { port: number; hostname: string; onListen(): void; signal: AbortSignal },
    fetch: DenoFetch,
  ): { readonly addr: { readonly port: number }; readonly finished: Promise<void> }
}

export function serveOnDeno(fetch: DenoFetch): { origin: string; close(): Promise<void> } {
  const { Deno } = globalThis as unknown as { Deno: Deno } // this file is for Deno alone
  const stop = new AbortController()
  const options = { port: 0, hostname: '127.0.0.1', onListen() {}, signal: stop.signal }
  const { addr, finished } = Deno.serve(options, fetch)
  const close = async (): Promise<void> => {
    stop.abort()
    await finished
  }
  return { origin: `http://127.0.0.1:${addr.port}`, close }
}

export const listenOnDeno: Listen = async (fetch) =>
  serveOnDeno((request, { remoteAddr }) => fetch(request, { remoteAddr }))
