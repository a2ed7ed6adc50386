/** A WebSocket client, and servers for it. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpRouter } from 'mcp-router'
import { attachWebSocket, type WebSocketOptions } from 'mcp-router/websocket'
import { onTestFinished } from 'vitest'
import WebSocket, { type ClientOptions } from 'ws'
import { type Message, type MessageClient, messageClient } from '../../wire/messages.js'

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
    server.closeAllConnections?.()
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
    // It may never have opened.
    socket.on('error', () => {})
    socket.terminate()
  })
  return socket
}

export interface Client extends MessageClient {
  readonly socket: WebSocket
  /** Resolves to the close code and reason. */
  readonly closed: Promise<[number, string]>
}

export async function connect(url: string, options: ClientOptions = {}): Promise<Client> {
  const socket = open(url, options)
  const { client, take } = messageClient((text) => socket.send(text))
  socket.on('message', (data) => take(String(data)))
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [code, String(reason)])
  await once(socket, 'open')
  return { socket, closed, ...client }
}

/** Returns the text of a tool's result or error. */
export const textOf = ({ result, error }: Message): string => result?.content[0].text ?? error.message
