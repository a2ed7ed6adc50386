/** Sends inner requests for tests, and loads packages that exist in several major versions. */

import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatch, InnerRequest, InnerResponse, RequestInfo } from 'mcp-router/adapter'
import { onTestFinished } from 'vitest'

export type Sent = Partial<InnerRequest> & { json?: unknown; outer?: RequestInfo | undefined }

export interface Got extends InnerResponse {
  readonly text: string
  /** The type of the response: each test knows its own. */
  readonly json: Untyped
}

/** Creates a request: `GET /path` with the given overrides. */
export async function call(dispatch: Dispatch, line: string, sent: Sent = {}): Promise<Got> {
  const [method = 'GET', url = '/'] = line.split(' ')
  const { json, outer, headers, ...rest } = sent
  const request: InnerRequest = {
    method,
    url,
    headers: {
      host: 'api.example.com',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? undefined : JSON.stringify(json),
    signal: new AbortController().signal,
    maxBytes: 1_000_000,
    tool: 'tested',
    ...rest,
  }
  const response = await dispatch(request, outer)
  const text = Buffer.from(response.body).toString()
  return {
    ...response,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

/** Creates the outer request of a call: one with this socket. */
export function outerWith(socket: object, ip?: string): RequestInfo {
  return { method: 'POST', url: '/mcp', headers: {}, ip, raw: { socket } }
}

/** A value of a package without types, or of a major version that the types don't describe. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Untyped = any

export async function load(name: string): Promise<Untyped> {
  const loaded = await import(name)
  return loaded.default ?? loaded
}

/** Serves the app over a real socket, and closes it at the end of the test. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
