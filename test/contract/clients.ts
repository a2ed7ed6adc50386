/** A client of each era: what it says on every request, so that tests say only what is special. */

import { type Answer, abandon, type Headers, type Json, open, post, type Stream, send } from './client.js'
import { assertValid } from './core/valid.js'
import type { Connections, Exchange } from './exchange.js'

export interface Extra {
  id?: unknown
  headers?: Headers
}

/** What both clients can do. */
export interface Client {
  readonly sessionId: string | undefined
  request(method: string, params?: object, extra?: Extra): Promise<Answer>
  call(name: unknown, args?: unknown, extra?: Extra): Promise<Answer>
  notify(method: string, params?: object): Promise<Answer>
  open(method: string, params: object, extra?: Extra): Promise<Stream>
  /** Opens a stream with GET, for what is sent outside of calls. */
  listen(headers?: Headers): Promise<Stream>
  /** Sends a request and can drop its connection. */
  abandon(method: string, params: object, extra?: Extra): Exchange
}

interface Handshake {
  version?: string
  capabilities?: object
  clientInfo?: object
  headers?: Headers
  /** To use again, for many requests. Default: one of its own for each. */
  connections?: Connections
}

/** Initializes, and speaks in that session from then on. */
export async function legacy(url: string, handshake: Handshake = {}): Promise<Client> {
  const { version = '2025-11-25', headers = {}, connections } = handshake
  const opened = await send(url, { body: initialize(handshake), headers, connections })
  if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${opened.text}`)
  const sessionId = opened.headers['mcp-session-id'] as string | undefined
  const own = { 'Mcp-Session-Id': sessionId, 'MCP-Protocol-Version': version, ...headers }
  judge(version, 'initialize', opened.json)
  const speaks = { version: opened.json.result.protocolVersion, sessionId, connections }
  return client(url, speaks, (_method, params) => ({
    headers: own,
    params,
  }))
}

export function initialize({ version, capabilities, clientInfo }: Handshake = {}): Json {
  return rpc('initialize', {
    protocolVersion: version ?? '2025-11-25',
    capabilities: capabilities ?? {},
    clientInfo: clientInfo ?? { name: 'contract', version: '1.0.0' },
  })
}

/** A client without a session: what it is follows from the header alone. */
export function stateless(url: string, version?: string, headers: Headers = {}): Client {
  return client(url, { version: version ?? '2025-03-26' }, (_method, params) => ({
    headers: { 'MCP-Protocol-Version': version, ...headers },
    params,
  }))
}

interface Envelope {
  headers?: Headers
  meta?: object
  connections?: Connections
}

/** Says version, capabilities and name with every request, in the body and in the headers that repeat it. */
export function modern(url: string, { headers = {}, meta = {}, connections }: Envelope = {}): Client {
  return client(url, { version: '2026-07-28', connections }, (method, params) => ({
    headers: { ...mirror(method, params), ...headers },
    params: { ...params, _meta: { ...envelope, ...meta, ...(params as Json)?._meta } },
  }))
}

export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'contract', version: '1.0.0' },
}

/** The headers that repeat a request of 2026-07-28. */
export function mirror(method: string, params: object | undefined): Headers {
  const { name, uri } = (params ?? {}) as Json
  const named = name ?? uri
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    'Mcp-Name': named === undefined ? undefined : String(named),
  }
}

export function rpc(method: string, params?: unknown, id: unknown = 1): Json {
  return { jsonrpc: '2.0', id, method, params }
}

interface Speaks {
  readonly version: string
  readonly sessionId?: string | undefined
  readonly connections?: Connections | undefined
}

function judged(version: string, method: string, stream: Stream): Stream {
  const next = async (): Promise<Json> => {
    const message = await stream.next()
    judge(version, method, message)
    return message
  }
  const rest = async (): Promise<Json[]> => {
    const messages = await stream.rest()
    for (const message of messages) judge(version, method, message)
    return messages
  }
  return { ...stream, next, rest }
}

type Dress = (method: string, params: object | undefined) => { headers: Headers; params: object | undefined }

/** Revisions that the schemas know; a test may say another one on purpose. */
const known = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

function judge(version: string, method: unknown, message: Json): void {
  if (known.includes(version) && typeof method === 'string' && message?.jsonrpc === '2.0') {
    assertValid(version, method, message)
  }
}

function client(url: string, { version, sessionId, connections }: Speaks, dress: Dress): Client {
  const toSent = (method: string, given: object | undefined, extra: Extra = {}) => {
    const { headers, params } = dress(method, given)
    const id = 'id' in extra ? extra.id : 1
    return { body: rpc(method, params, id), headers: { ...headers, ...extra.headers }, connections }
  }
  const self: Client = {
    sessionId,
    async request(method, params, extra) {
      const answer = await send(url, toSent(method, params, extra))
      judge(version, method, answer.json)
      return answer
    },
    call: (name, args, extra) => self.request('tools/call', { name, arguments: args } as object, extra),
    notify: (method, params) => {
      const { headers, params: all } = dress(method, params)
      return post(url, { jsonrpc: '2.0', method, params: all }, headers)
    },
    async open(method, params, extra) {
      return judged(version, method, await open(url, toSent(method, params, extra)))
    },
    async listen(extra) {
      const headers = { Accept: 'text/event-stream', ...dress('', undefined).headers, ...extra }
      return judged(version, 'tools/call', await open(url, { method: 'GET', headers }))
    },
    abandon: (method, params, extra) => abandon(url, toSent(method, params, extra)),
  }
  return self
}
