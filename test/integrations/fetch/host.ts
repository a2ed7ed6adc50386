/** An app of web requests and responses as a host of the contract, independent of the server. */

import { type Given, mcp } from 'mcp-router/fetch'
import type { Headers as SentHeaders } from '../../contract/client.js'
import type { Host, Parser, Setup, Skip } from '../../contract/host.js'

/** The function that a server calls. `peer`: the peer's address as the server knows it. */
export type Fetch = (request: Request, peer: Given<object>) => Promise<Response>

/** Starts a server on a free port. */
export type Listen = (fetch: Fetch) => Promise<{ readonly origin: string; close(): Promise<void> }>

/** Actions of earlier code on a body, and the body that it passes on. */
const parsers: Readonly<
  Record<Exclude<Parser, 'json' | 'urlencoded'>, (request: Request) => Promise<unknown>>
> = {
  text: (request) => request.text(),
  raw: async (request) => new Uint8Array(await request.arrayBuffer()),
  drained: async (request) => void (await request.text()),
  pause: () => new Promise((resolve) => setTimeout(resolve, 5)),
}
const known = Object.keys(parsers) as (keyof typeof parsers)[]

/** Whatever listens: a web request has no such path. */
export const resolved: Skip = [
  /^leaves \/(\.|x\/\.\.)\/mcp to the app/,
  'whoever makes the request resolves the dots, and routes in front see what we see',
]

/** `skips`: tests that the server makes impossible. */
export function fetchHost(listen: Listen, skips: readonly Skip[]): Host {
  return {
    skips: [resolved, ...skips],
    parsers: known,
    compresses: false,
    trustsProxies: false,
    readsWholeUrls: true,
    async start(setup) {
      const errors: unknown[] = []
      const app = appOf(setup)
      const { origin, close } = await listen(async (request, peer) => {
        try {
          return await app(request, peer)
        } catch (error) {
          errors.push(error)
          return new Response('<html>the page of the app</html>', { status: 500 })
        }
      })
      return { origin, errors, close }
    },
  }
}

function appOf({ router, options, login, parsers: wanted = [], headers = {} }: Setup): Fetch {
  const handler = mcp(router, options as object)
  return async (request, peer) => {
    if (request.url.endsWith('/own')) return Response.json({ own: true })
    let body: unknown
    for (const parser of wanted) body = (await parsers[parser as keyof typeof parsers](request)) ?? body
    const found = { user: login?.(Object.fromEntries(request.headers) as SentHeaders) }
    const own = options.user === undefined && login !== undefined
    const response = await handler(request, { ...peer, ...(own && found), body })
    for (const [name, value] of Object.entries(headers)) response.headers.append(name, value)
    return response
  }
}
