/** The server of `server.ts` as a child, and clients that hold its streams open and count what comes. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Server {
  readonly port: number
  ask(command: 'memory'): Promise<number>
  ask(command: 'stats'): Promise<{ streams: number; bare: number; running: number }>
  ask(command: 'notify'): Promise<unknown>
  stop(): Promise<void>
}

export async function startServer(): Promise<Server> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/crowd/server.ts'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', TSX_TSCONFIG_PATH: `${root}tsconfig.json` },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  const port = await next()
  const ask = (command: string) => {
    child.stdin.write(`${command}\n`)
    return next()
  }
  return { port, ask, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

export type StreamKind = 'bare' | 'get' | 'listen'

/** One stream: what came on it, and a way to drop it. */
export interface Reader {
  readonly socket: Socket
  /** How often the notice came. */
  notices(): number
}

const mark = 'notifications/tools/list_changed'

/** Opens streams, some at a time; resolves once each of them has begun. */
export async function openStreams({ port }: Server, kind: StreamKind, count: number): Promise<Reader[]> {
  const readers: Reader[] = []
  while (readers.length < count) {
    const some = Math.min(100, count - readers.length)
    readers.push(...(await Promise.all(Array.from({ length: some }, () => openStream(port, kind)))))
  }
  return readers
}

async function openStream(port: number, kind: StreamKind): Promise<Reader> {
  const request = await requestOf(port, kind)
  let text = ''
  let notices = 0
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    const reader = { socket, notices: () => notices }
    socket.setEncoding('latin1').on('error', reject)
    socket.on('data', (data: string) => {
      text += data
      const found = text.split(mark).length - 1
      if (text.includes('\r\n\r\n') && /\n(: hello|data:)/.test(text)) resolve(reader)
      if (found > 0) {
        notices += found
        text = '\r\n\r\n\ndata:'
      }
    })
  })
}

async function requestOf(port: number, kind: StreamKind): Promise<string> {
  const accept = 'Accept: application/json, text/event-stream'
  if (kind === 'bare') return head('GET /bare', [accept])
  if (kind === 'get') return head('GET /mcp', [accept, `Mcp-Session-Id: ${await openSession(port)}`])
  const headers = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: subscriptions/listen']
  return post('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: envelope }, headers)
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Over a connection that is closed again: none is left behind to be counted. */
async function openSession(port: number): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'crowd', version: '1' },
  }
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(post('initialize', params, ['Connection: close'])),
  )
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  return /mcp-session-id: (\S+)/i.exec(text)?.[1] ?? ''
}

function post(method: string, params: object, headers: string[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const own = ['Accept: application/json, text/event-stream', 'Content-Type: application/json']
  return head('POST /mcp', [...own, ...headers, `Content-Length: ${body.length}`]) + body
}

function head(line: string, headers: string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
}
