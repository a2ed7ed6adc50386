/** Plain HTTP clients over real sockets: `send` for one answer, `open` for a stream, and one client per era. */

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Connections, type Exchange, exchange, socketTo } from './exchange.js'

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
export type Json = any
export type Headers = Record<string, string | undefined>

export interface Sent {
  method?: string
  headers?: Headers
  /** Text and bytes go out as they are, everything else as JSON. */
  body?: unknown
  /** Send with `Transfer-Encoding: chunked`. */
  chunked?: boolean
  /** Connections to use again. Default: one of its own. */
  connections?: Connections | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** `undefined` where the body is no JSON. */
  readonly json: Json
}

const jsonHeaders: Headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
}

/** Sends one request and reads its whole answer. An `undefined` header is left out. */
export async function send(url: string, sent: Sent = {}): Promise<Answer> {
  const { status, headers, body } = await start(url, sent).incoming
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  return { status, headers, bytes, text, json: parse(text) }
}

export const post = (url: string, body: unknown, headers: Headers = {}): Promise<Answer> =>
  send(url, { body, headers })

/** One event as it came: `data` is text, empty where there was none. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly retry: number | undefined
  readonly data: string
}

export interface Stream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The next event, whatever is in it; `undefined` at the end. */
  nextEvent(): Promise<StreamEvent | undefined>
  /** The next message; `undefined` at the end. */
  next(): Promise<Json>
  /** All messages that are left. */
  rest(): Promise<Json[]>
  /** Drops the connection. */
  leave(): void
}

/** Sends one request and reads its answer as an event stream, piece by piece. */
export async function open(url: string, sent: Sent = {}): Promise<Stream> {
  const { incoming, leave } = start(url, sent)
  const { status, headers, body } = await incoming
  const events = readEvents(body)
  const nextEvent = async (): Promise<StreamEvent | undefined> => (await events.next()).value
  const next = async (): Promise<Json> => {
    for (;;) {
      const event = await nextEvent()
      if (event === undefined) return undefined
      if (event.data !== '') return JSON.parse(event.data)
    }
  }
  const rest = async (): Promise<Json[]> => {
    const all: Json[] = []
    for (let message = await next(); message !== undefined; message = await next()) all.push(message)
    return all
  }
  return { status, headers, nextEvent, next, rest, leave }
}

/** A request whose client may leave before its answer has come. */
export function abandon(url: string, sent: Sent = {}): Exchange {
  const request = start(url, sent)
  request.incoming.catch(() => {})
  return request
}

/** Bytes as they are over a socket of their own; resolves to all that came back. */
export function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = socketTo(url)
    let answer = ''
    socket.setEncoding('utf8').write(text)
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', reject).on('close', () => resolve(answer))
  })
}

function start(url: string, { method = 'POST', headers = {}, body, chunked, connections }: Sent): Exchange {
  const all = { ...(method === 'POST' && jsonHeaders), ...headers }
  const bytes = body === undefined ? undefined : Buffer.from(toBytes(body))
  const length = bytes === undefined ? [] : [lengthOf(bytes, chunked)]
  const given = [...Object.entries(all), ...length].filter((entry) => entry[1] !== undefined)
  const sent = Object.fromEntries(given) as Record<string, string>
  return exchange(url, { method, headers: sent, body: bytes, connections })
}

function lengthOf(bytes: Buffer, chunked: boolean | undefined): [string, string] {
  return chunked === true ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(bytes.length)]
}

function toBytes(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* readEvents(response: Readable): AsyncGenerator<StreamEvent, undefined, undefined> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) {
    text += chunk
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split('\n').filter((line) => !line.startsWith(':'))
      if (lines.length > 0) yield readEvent(lines)
    }
  }
  return undefined
}

function readEvent(lines: readonly string[]): StreamEvent {
  const field = (name: string): string | undefined =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart()
  const retry = field('retry')
  return {
    id: field('id'),
    event: field('event'),
    retry: retry === undefined ? undefined : Number(retry),
    data: field('data') ?? '',
  }
}
