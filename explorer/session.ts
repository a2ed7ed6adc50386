/** The session with the server that the page came from. All its HTTP traffic is recorded. */

import { Client } from '../integrations/cli/client/client.js'
import { HttpWire } from '../integrations/cli/client/http-wire.js'
import { parameterHeaders } from '../integrations/cli/client/mirror-headers.js'
import type { JsonRpcNotification, Params, Result } from '../src/internal.js'
import { authorizedFetch, type Identity } from './identity.js'
import type { Challenge } from './oauth/challenge.js'
import type { Ask } from './questions.js'
import { type Exchange, recordingFetch } from './traffic.js'

export type Era = 'modern' | 'legacy'
export type Routes = ReadonlyMap<string, string>

/** The URL of the endpoint, which is also the URL of the page. */
export const endpoint: string = location.origin + location.pathname

export interface SessionOptions {
  readonly era: Era
  readonly identity: Identity
  /** Called with the challenge of a 401 or 403. */
  readonly onChallenge: (challenge: Challenge) => void
  readonly onExchange: (exchange: Exchange) => void
  /** URIs of the roots. Without any, the client doesn't declare the capability. */
  readonly roots: readonly string[]
  readonly ask: Ask
}

const appMimeType = 'text/html;profile=mcp-app'

export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly onNotification?: (notification: JsonRpcNotification) => void
  /** The input schema of the called tool, which may map arguments to headers. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
}

export class Session {
  /** `fetch` with the caller's identity, for URLs besides the endpoint. */
  readonly fetch: typeof fetch
  readonly #client: Client

  private constructor(client: Client, send: typeof fetch) {
    this.#client = client
    this.fetch = send
  }

  /** Connects to the server. @throws as `Client.connect` does: McpError, HttpFailure, TypeError without a response */
  static async open({
    era,
    identity,
    roots,
    onChallenge,
    onExchange,
    ask,
  }: SessionOptions): Promise<Session> {
    const wire = new HttpWire(
      endpoint,
      {},
      authorizedFetch(identity, recordingFetch(onExchange), onChallenge),
    )
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
      onNotification: () => {},
      onRequest: ask,
    })
    return new Session(
      client,
      authorizedFetch(identity, (...request) => fetch(...request), onChallenge),
    )
  }

  get version(): string {
    return this.#client.version
  }

  /** The result of `server/discover` or `initialize`. */
  get server(): Result {
    return this.#client.server
  }

  /** Returns the method and path of each tool that is a route of the app. */
  async routes(): Promise<Routes> {
    try {
      const answer = await this.fetch(new URL('routes.json', import.meta.url))
      const report = (await answer.json()) as Record<
        string,
        { readonly method: string; readonly path: string }
      >
      return new Map(Object.entries(report).map(([tool, { method, path }]) => [tool, `${method} ${path}`]))
    } catch {
      // Routes are additional information. The tools come from the endpoint.
      return new Map()
    }
  }

  list(method: string, member: string): Promise<Record<string, unknown>[]> {
    return this.#client.list(method, member)
  }

  request(
    method: string,
    params: Params,
    { signal, onNotification, schema }: RequestOptions = {},
  ): Promise<Result> {
    const headers =
      this.#client.isModern && schema !== undefined
        ? parameterHeaders(String(params.name), schema, (params.arguments ?? {}) as object)
        : undefined
    return this.#client.request(method, params, { signal, onNotification, headers })
  }
}
