/** A client for tests: one peer of a router, in one revision, through `router.handle()`. */
import type { Caller, JsonRpcNotification, JsonRpcResponse, McpRouter } from 'mcp-router'
import type { Json } from './validator.js'

export const modern = '2026-07-28'
export const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const versions = [...legacyVersions, modern] as const

/** The `_meta` that 2026-07-28 demands of every request. */
export const envelope = (more: Json = {}): Json => ({
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  ...more,
})

export interface WireError {
  code: number
  message: string
  data?: unknown
}

export interface TestClient {
  readonly version: string
  readonly caller: Caller
  /** What the server sent besides answers. */
  readonly notices: JsonRpcNotification[]
  send(message: unknown): Promise<JsonRpcResponse | JsonRpcResponse[] | undefined>
  request(method: string, params?: Json, meta?: Json): Promise<JsonRpcResponse>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every kind
  result(method: string, params?: Json, meta?: Json): Promise<any>
  error(method: string, params?: Json, meta?: Json): Promise<WireError>
}

export function connect(router: McpRouter, version: string = modern, more: Caller = {}): TestClient {
  const notices: JsonRpcNotification[] = []
  const caller: Caller = {
    ...(version !== modern && { protocolVersion: version }),
    send: (message) => {
      notices.push(message)
      return true
    },
    ...more,
  }
  let next = 1
  const send = (message: unknown) => router.handle(message, caller)
  const request = async (method: string, params: Json = {}, meta: Json = {}): Promise<JsonRpcResponse> => {
    const own = version === modern ? envelope(meta) : meta
    const _meta = Object.keys(own).length > 0 ? { _meta: own } : {}
    const message = { jsonrpc: '2.0', id: next++, method, params: { ...params, ..._meta } }
    const answer = await send(message)
    if (answer === undefined || Array.isArray(answer)) throw new Error(`no single answer to ${method}`)
    return answer
  }
  return {
    version,
    caller,
    notices,
    send,
    request,
    async result(method, params, meta) {
      const answer = await request(method, params, meta)
      if ('error' in answer) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
      return answer.result
    },
    async error(method, params, meta) {
      const answer = await request(method, params, meta)
      if (!('error' in answer)) throw new Error(`${method} succeeded: ${JSON.stringify(answer.result)}`)
      return answer.error
    },
  }
}

export interface LogEntry {
  level: string
  message: string
  data: unknown
}

/** A logger that remembers. */
export function recorder(): { entries: LogEntry[]; at(level: string): LogEntry[]; logger: Recorder } {
  const entries: LogEntry[] = []
  const write =
    (level: string) =>
    (message: string, data?: unknown): void =>
      void entries.push({ level, message, data })
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return { entries, at: (level) => entries.filter((entry) => entry.level === level), logger }
}

type Recorder = Record<'debug' | 'info' | 'warn' | 'error', (message: string, data?: unknown) => void>
