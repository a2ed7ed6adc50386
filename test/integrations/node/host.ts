/** Plain Node as a host of the contract: a request listener, with connect-style middleware in front of it. */

import { readFileSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2, { type ServerHttp2Session } from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import compression from 'compression'
import express from 'express'
import { type Handler, mcp } from 'mcp-router/node'
import { onTestFinished } from 'vitest'
import type { Headers } from '../../contract/client.js'
import type { Host, Parser, Setup, Skip, Started } from '../../contract/host.js'

export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** Creates a server from a listener. */
export type CreateServer = (listener: Handler) => Server

const read = (name: string): string => readFileSync(new URL(`tls/${name}.pem`, import.meta.url), 'utf8')
/** Valid for a hundred years, for localhost only. */
export const selfSigned = { key: read('key'), cert: read('certificate') }

export const overHttp: CreateServer = (listener) => http.createServer(listener)
export const overHttps: CreateServer = (listener) => https.createServer(selfSigned, listener)
/** Also serves HTTP/1.1, for tests that write bytes by hand. */
export const overHttp2: CreateServer = (listener) =>
  http2.createSecureServer({ ...selfSigned, allowHTTP1: true }, listener)

const noBlanks = 'HTTP/2 has no blanks around values (RFC 9113, 8.2.1)'

export const http2Skips: readonly Skip[] = [
  [/with space around|spaces and tabs around/, noBlanks],
  [/^refuses nothing, whatever is asked for/, noBlanks],
  [/^refuses a token of 64 KiB unread/, 'Node resets a stream whose headers are that long'],
  [
    /in the middle of its body while its token/,
    'a stream that ends before its length never becomes a request',
  ],
]

/** Express's body parsers are connect-style middleware. Their errors are the app's own here. */
const parsers: Record<Parser, Middleware> = {
  json: express.json() as Middleware,
  raw: express.raw({ type: '*/*' }) as Middleware,
  text: express.text({ type: '*/*' }) as Middleware,
  urlencoded: express.urlencoded({ extended: true }) as Middleware,
  pause: (_req, _res, next) => void setTimeout(next, 5),
  drained: (req, _res, next) => void req.resume().on('end', () => next()),
}

/** A parser's error is for the app to handle: only error handlers get it, and the mount isn't one. */
const brokenBodies: readonly Skip[] = [
  [/^refuses what is no JSON behind the parsers (.* )?json/, 'what a parser throws passes the mount by'],
]

export function nodeHost(createServer: CreateServer, special: Partial<Host> = {}): Host {
  return {
    parsers: Object.keys(parsers) as Parser[],
    compresses: true,
    trustsProxies: false,
    ...special,
    skips: [...brokenBodies, ...(special.skips ?? [])],
    start(setup) {
      const chain = prepare(setup)
      for (const parser of setup.parsers ?? []) chain.push(parsers[parser])
      chain.push(mcp(setup.router, setup.options as object), own)
      return listen(createServer, chain)
    },
  }
}

const own: Middleware = (req, res, next) => {
  if (req.url !== '/own') return next()
  res.setHeader('Content-Type', 'application/json')
  res.end('{"own":true}')
}

function prepare({ login, headers, compress }: Setup): Middleware[] {
  const chain: Middleware[] = []
  if (compress === true) chain.push(compression({ threshold: 0 }) as unknown as Middleware)
  if (headers !== undefined) {
    chain.push((_req, res, next) => {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      next()
    })
  }
  if (login !== undefined) {
    chain.push((req, _res, next) => {
      Object.assign(req, { user: login(req.headers as Headers) })
      next()
    })
  }
  return chain
}

/** Runs one middleware after the other, as connect does. */
export function inTurn(chain: readonly Middleware[], onError: (error: unknown) => void): Handler {
  return (req, res) => {
    const response = res as ServerResponse
    const page = (status: number): void => {
      response.statusCode = status
      response.end('<html>the page of the app</html>')
    }
    const run = (index: number): unknown => {
      const middleware = chain[index]
      if (middleware === undefined) return page(404)
      middleware(req as IncomingMessage, response, (error) => {
        if (error === undefined) return run(index + 1)
        onError(error)
        page(500)
      })
    }
    run(0)
  }
}

export function listen(createServer: CreateServer, chain: readonly Middleware[]): Promise<Started> {
  const errors: unknown[] = []
  return started(createServer(inTurn(chain, (error) => errors.push(error))), errors)
}

/** Listens on a free port. */
export async function started(server: Server, errors: unknown[] = []): Promise<Started> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))))
  // A client on a busy machine may send its next request after the default of five seconds.
  Object.assign(server, { keepAliveTimeout: 60_000 })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session.on('close', () => sessions.delete(session)))
  })
  const stop = (): Promise<unknown> => {
    // Idle HTTP/2 sessions don't end by themselves.
    for (const session of sessions) session.close()
    return new Promise((resolve) => server.close(resolve))
  }
  const close = async (): Promise<void> => {
    const closed = stop()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const scheme = server instanceof http.Server ? 'http' : 'https'
  return { origin: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, errors, stop, close }
}

/** Returns `started`, and closes it at the end of the test. */
export async function listening(server: Server): Promise<Started> {
  const running = await started(server)
  onTestFinished(running.close)
  return running
}
