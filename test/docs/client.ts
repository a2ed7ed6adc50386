/** A client for the apps of the pages, over real sockets. */

import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { afterAll } from 'vitest'

const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.close()
})

/** The port it listens on, until the tests of this file are over. */
export async function portOf(server: Server): Promise<number> {
  servers.push(server)
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export async function listen(app: { listen(port: number): Server }): Promise<string> {
  return `http://127.0.0.1:${await portOf(app.listen(0))}`
}

// biome-ignore lint/suspicious/noExplicitAny: results of every kind
export type Json = any

export interface Reply {
  status: number
  headers: Headers
  type: string
  /** The messages of an event stream, else the JSON body. */
  messages: Json[]
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Extra = {
  readonly meta?: Json
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** One request of 2026-07-28. */
export async function modern(
  url: string,
  method: string,
  params: Json = {},
  extra: Extra = {},
): Promise<Reply> {
  const name = params.name ?? params.uri
  const headers = {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(name !== undefined && { 'Mcp-Name': name }),
    ...extra.headers,
  }
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { ...params, _meta: { ...meta, ...extra.meta } },
  }
  return post(url, message, { ...extra, headers })
}

/** One message of a client before 2026-07-28. */
export async function legacy(
  url: string,
  method: string,
  params: Json = {},
  { meta: _meta, ...extra }: Extra & { id?: number | undefined } = {},
): Promise<Reply> {
  const { id } = { id: 1, ...extra }
  return post(url, { jsonrpc: '2.0', id, method, params: { ...params, _meta } }, extra)
}

export async function post(url: string, message: Json, { headers, signal }: Extra = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal && { signal }),
  })
  const type = response.headers.get('content-type') ?? ''
  const text = await response.text()
  return { status: response.status, headers: response.headers, type, messages: messagesIn(text, type) }
}

function messagesIn(text: string, type: string): Json[] {
  if (text === '') return []
  if (!type.startsWith('text/event-stream'))
    return [type.startsWith('application/json') ? JSON.parse(text) : text]
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

export async function initialize(url: string, headers: Record<string, string> = {}): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'tester', version: '1' },
  }
  const { headers: answered } = await legacy(url, 'initialize', params, { headers })
  return answered.get('mcp-session-id') ?? ''
}
