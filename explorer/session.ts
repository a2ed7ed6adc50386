/** The conversation with the server that the page came from, and everything that travels in it. */

import { Client } from '../integrations/cli/client/client.js'
import { HttpWire } from '../integrations/cli/client/http-wire.js'
import { parameterHeaders } from '../integrations/cli/client/mirror-headers.js'
import type { JsonRpcNotification, Params, Result } from '../src/internal.js'
import { type Identity, sendingAs } from './identity.js'
import type { Challenge } from './oauth/challenge.js'
import type { Ask } from './questions.js'
import { type Exchange, watched } from './traffic.js'

export type Era = 'modern' | 'legacy'
export type Routes = ReadonlyMap<string, string>

/** The page is at the endpoint itself. */
export const endpoint: string = location.origin + location.pathname

export interface SessionOptions {
  readonly era: Era
  readonly identity: Identity
  /** What the server still wants, before it lets somebody in or do something. */
  readonly onChallenge: (challenge: Challenge) => void
  readonly onExchange: (exchange: Exchange) => void
  /** URIs. With none, nothing is said of roots. */
  readonly roots: readonly string[]
  readonly ask: Ask
}

const appMimeType = 'text/html;profile=mcp-app'

export interface Asked {
  readonly signal?: AbortSignal
  readonly hear?: (notice: JsonRpcNotification) => void
  /** The input schema of the tool that is called: it may say that headers repeat arguments. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
}

export class Session {
  /** As who calls here, for what is beside the endpoint. */
  readonly fetch: typeof fetch
  readonly #client: Client

  private constructor(client: Client, send: typeof fetch) {
    this.#client = client
    this.fetch = send
  }

  /** @throws as `Client.connect` does: McpError, HttpFailure, TypeError where nobody answers */
  static async open({
    era,
    identity,
    roots,
    onChallenge,
    onExchange,
    ask,
  }: SessionOptions): Promise<Session> {
    const wire = new HttpWire(endpoint, {}, sendingAs(identity, watched(onExchange), onChallenge))
    const client = await Client.connect(wire, {
      clientInfo: { name: 'mcp-router explorer', version: '1' },
      capabilities: {
        elicitation: { form: {}, url: {} },
        sampling: {},
        ...(roots.length > 0 && { roots: {} }),
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [appMimeType] } },
      },
      legacy: era === 'legacy',
      logLevel: 'debug',
      hear: () => {},
      ask,
    })
    return new Session(
      client,
      sendingAs(identity, (...request) => fetch(...request), onChallenge),
    )
  }

  get version(): string {
    return this.#client.version
  }

  /** What the server says of itself. */
  get server(): Result {
    return this.#client.server
  }

  /** Method and path of the tools that are routes of the app. */
  async routes(): Promise<Routes> {
    try {
      const answer = await this.fetch(new URL('routes.json', import.meta.url))
      const told = (await answer.json()) as Record<string, { readonly method: string; readonly path: string }>
      return new Map(Object.entries(told).map(([tool, { method, path }]) => [tool, `${method} ${path}`]))
    } catch {
      // They are told for convenience; the list is the endpoint's.
      return new Map()
    }
  }

  list(method: string, member: string): Promise<Record<string, unknown>[]> {
    return this.#client.list(method, member)
  }

  request(method: string, params: Params, { signal, hear, schema }: Asked = {}): Promise<Result> {
    const headers =
      this.#client.isModern && schema !== undefined
        ? parameterHeaders(String(params.name), schema, (params.arguments ?? {}) as object)
        : undefined
    return this.#client.request(method, params, { signal, hear, headers })
  }
}
