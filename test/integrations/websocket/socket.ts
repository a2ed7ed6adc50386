/** A client on a WebSocket, and servers for it to talk to. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpRouter } from 'mcp-router'
import { attachWebSocket, type WebSocketOptions } from 'mcp-router/websocket'
import { onTestFinished } from 'vitest'
import WebSocket, { type ClientOptions } from 'ws'
import { envelope } from '../../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every kind
export type Message = any

/** Listens with the router attached; resolves to `127.0.0.1:port`. */
export async function serve(
  router: McpRouter,
  options: WebSocketOptions<never, object> = {},
  app: RequestListener = (_, res) => res.end('the app'),
): Promise<string> {
  const server = createServer(app)
  attachWebSocket(router as McpRouter<object>, server, options as object)
  return listen(server)
}

export async function listen(server: Server): Promise<string> {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Opens `ws://…`, or resolves to the status and body of the refusal. */
export async function refusalOf(url: string, options: ClientOptions = {}) {
  const socket = open(url, options)
  const [, response] = await once(socket, 'unexpected-response')
  let body = ''
  for await (const part of response.setEncoding('utf8')) body += part
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(body) }
}

function open(url: string, options: ClientOptions): WebSocket {
  const socket = new WebSocket(url, 'mcp', options)
  onTestFinished(() => {
    // It may never have been open.
    socket.on('error', () => {})
    socket.terminate()
  })
  return socket
}

export interface Client {
  readonly socket: WebSocket
  readonly received: Message[]
  /** Resolves to code and reason. */
  readonly closed: Promise<[number, string]>
  write(message: unknown): void
  find(fits: (message: Message) => boolean): Promise<Message>
  ask(method: string, params?: object): Promise<Message>
  modern(method: string, params?: object, capabilities?: object): Promise<Message>
  initialize(protocolVersion?: string, capabilities?: object): Promise<Message>
}

export async function connect(url: string, options: ClientOptions = {}): Promise<Client> {
  const socket = open(url, options)
  const received: Message[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)))
    for (const look of [...waiting]) look()
  })
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [code, String(reason)])
  await once(socket, 'open')
  const write = (message: unknown): void => socket.send(JSON.stringify(message))
  const find = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = received.find(fits)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  let id = 0
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const own = ++id
    write({ jsonrpc: '2.0', id: own, method, params })
    return find((message) => message.id === own && message.method === undefined)
  }
  return {
    socket,
    received,
    closed,
    write,
    find,
    ask,
    modern: (method, params = {}, capabilities = {}) =>
      ask(method, {
        ...params,
        _meta: envelope({ 'io.modelcontextprotocol/clientCapabilities': capabilities }),
      }),
    initialize: (protocolVersion = '2025-11-25', capabilities = {}) =>
      ask('initialize', { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } }),
  }
}

/** The text of a tool's answer, or of its error. */
export const textOf = ({ result, error }: Message): string => result?.content[0].text ?? error.message
