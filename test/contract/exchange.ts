/** One HTTP exchange over a real socket: HTTP/1.1, the same over TLS, or HTTP/2, as the server offers it. */

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { request as httpsRequest, type RequestOptions, Agent as TlsAgent } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export interface Outgoing {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** Connections to use again. Default: one of its own. */
  readonly connections?: Connections | undefined
}

export interface Incoming {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

export interface Exchange {
  /** Resolves with the head of the answer. */
  readonly incoming: Promise<Incoming>
  /** HTTP/1.1 drops the connection, HTTP/2 cancels the stream. */
  leave(): void
}

/** Any server with any certificate. */
const anybody = { rejectUnauthorized: false }

/** Connections that are kept and used again: at most `most` of HTTP/1.1, one of HTTP/2. */
export class Connections {
  readonly plain: Agent
  readonly secure: TlsAgent
  #session: Promise<ClientHttp2Session | undefined> | undefined

  constructor(most = 1) {
    this.plain = new Agent({ keepAlive: true, maxSockets: most })
    this.secure = new TlsAgent({ keepAlive: true, maxSockets: most })
  }

  /** `undefined` where the server does not offer HTTP/2. */
  session(url: string): Promise<ClientHttp2Session | undefined> {
    this.#session ??= negotiate(url).then((socket) => {
      if (socket.alpnProtocol === 'h2') return sessionOver(url, socket)
      socket.destroy()
      return undefined
    })
    return this.#session
  }

  close(): void {
    this.plain.destroy()
    this.secure.destroy()
    void this.#session?.then((session) => session?.destroy())
  }
}

/** A socket to write bytes of HTTP/1.1 to. */
export function socketTo(url: string): Socket {
  const { hostname: host, port, protocol } = new URL(url)
  if (protocol === 'https:') return connectTls({ host, port: Number(port), ...anybody })
  return connectTcp(Number(port), host)
}

export function exchange(url: string, outgoing: Outgoing): Exchange {
  return url.startsWith('https:') ? overTls(url, outgoing) : overTcp(url, outgoing)
}

function overTcp(url: string, outgoing: Outgoing): Exchange {
  return overHttp1(httpRequest, url, {
    ...outgoing,
    options: { agent: outgoing.connections?.plain ?? false },
  })
}

/** Asks the server which of both it speaks, as browsers do. */
function overTls(url: string, outgoing: Outgoing): Exchange {
  const { connections } = outgoing
  const started = (async (): Promise<Exchange> => {
    const session = await connections?.session(url)
    if (session !== undefined) return overHttp2(session, url, outgoing)
    if (connections !== undefined) {
      const options = { ...anybody, agent: connections.secure }
      return overHttp1(httpsRequest, url, { ...outgoing, options })
    }
    const socket = await negotiate(url)
    if (socket.alpnProtocol === 'h2') {
      const own = sessionOver(url, socket)
      return overHttp2(own, url, { ...outgoing, after: () => own.close() })
    }
    return overHttp1(httpsRequest, url, { ...outgoing, options: { createConnection: () => socket } })
  })()
  return {
    incoming: started.then(({ incoming }) => incoming),
    leave: () =>
      void started.then(
        ({ leave }) => leave(),
        () => {},
      ),
  }
}

type Over1 = Outgoing & { readonly options: RequestOptions }

function overHttp1(make: typeof httpsRequest, url: string, outgoing: Over1): Exchange {
  const { method, headers, body, options } = outgoing
  const request = make(url, { method, headers: { ...headers }, ...options })
  const incoming = new Promise<Incoming>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response })
    })
  })
  request.end(body)
  return { incoming, leave: () => void request.destroy() }
}

type Over2 = Outgoing & { readonly after?: () => void }

function overHttp2(session: ClientHttp2Session, url: string, outgoing: Over2): Exchange {
  const { method, headers, body, after } = outgoing
  const { pathname, search } = new URL(url)
  const stream = session.request(
    { ':method': method, ':path': pathname + search, ...toHttp2(headers) },
    { endStream: body === undefined },
  )
  const incoming = new Promise<Incoming>((resolve, reject) => {
    stream.on('error', reject).on('close', () => reject(new Error('closed without an answer')))
    stream.on('response', ({ ':status': status = 0, ...rest }) => {
      resolve({ status, headers: rest, body: stream })
    })
  })
  if (after !== undefined) stream.once('close', after)
  if (body !== undefined) stream.end(body)
  return { incoming, leave: () => stream.close(constants.NGHTTP2_CANCEL) }
}

/** What HTTP/2 says in fields and frames of its own. */
function toHttp2(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    names
      .filter(([name]) => name !== 'transfer-encoding')
      .map(([name, value]) => [name === 'host' ? ':authority' : name, value]),
  )
}

function negotiate(url: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port: Number(port), ALPNProtocols: ['h2', 'http/1.1'], ...anybody })
    socket.once('error', reject).once('secureConnect', () => resolve(socket))
  })
}

/** What breaks a session breaks its streams, which tell. */
function sessionOver(url: string, socket: TLSSocket): ClientHttp2Session {
  return connectHttp2(url, { createConnection: () => socket }).on('error', () => {})
}
