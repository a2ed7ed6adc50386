/**
 * The events of one stream of a session, kept in the store for a client that lost its connection (specification,
 * Streamable HTTP, Resumability): whoever writes the stream appends, whoever the client comes back to reads along.
 */

import { runtime } from '#runtime'
import type { RequestId } from '../protocol/types.js'
import type { LogBound, Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { lives, type StreamLife } from './stream-life.js'

/** What is kept of one stream for a client that comes back. */
const bound: LogBound = { entries: 1_000, bytes: 1024 * 1024, ageMs: 15 * 60_000 }

/** Where a client is in a stream: `Last-Event-ID`. Events are numbered from 1; 0 is before the first. */
export interface Position {
  readonly stream: string
  readonly number: number
}

export type StreamKind = 'answer' | 'standalone'

const letters: Readonly<Record<StreamKind, string>> = { answer: 'a', standalone: 's' }

/** The id of a new stream: which kind it is, and which one of the session. */
export function newStreamId(kind: StreamKind): string {
  return letters[kind] + toBase64Url(runtime.random(9))
}

export function kindOf({ stream }: Position): StreamKind {
  return stream.startsWith(letters.answer) ? 'answer' : 'standalone'
}

export function eventId({ stream, number }: Position): string {
  return `${stream}.${number}`
}

/** `undefined` for an id that is not ours. */
export function readEventId(text: string): Position | undefined {
  const [, stream, number] = /^([as][\w-]{12})\.(\d{1,12})$/.exec(text) ?? []
  return stream === undefined ? undefined : { stream, number: Number(number) }
}

export interface StoredEvent {
  readonly number: number
  readonly json: string
  /** Nothing follows it. */
  readonly last: boolean
  /** The place of the notice that it is, in the log of notices. */
  readonly at?: string | undefined
}

/** What travels from the writer to a reader: an event, a sign of life, or that the connection is to be closed for a while. */
export type Entry = StoredEvent | { readonly lives: true } | { readonly retryMs: number }

export interface EventLogParts {
  readonly store: Store
  /** Whose stream it is: the key of the session. */
  readonly session: string
  /** Told of what the store refused. */
  readonly onError: (error: unknown) => void
  /** `undefined`: other machines write none. */
  readonly life?: StreamLife | undefined
}

/** Writes. Nobody waits for it: what the store refuses cannot be fetched later, that is all. */
export class EventLog {
  readonly stream: string
  readonly #parts: EventLogParts
  #number: number
  #written: Promise<unknown> = Promise.resolve()

  constructor(parts: EventLogParts, stream: string, number = 0) {
    this.#parts = parts
    this.stream = stream
    this.#number = number
  }

  /** The number of the last event. */
  get number(): number {
    return this.#number
  }

  /** The id of the last event. */
  get position(): string {
    return this.idOf(this.#number)
  }

  idOf(number: number): string {
    return eventId({ stream: this.stream, number })
  }

  /** What is kept after the event of this number; `undefined`: some of it is gone. */
  after(number: number): Promise<readonly StoredEvent[] | undefined> {
    return eventsAfter(this.#parts, { stream: this.stream, number })
  }

  /** Leaves a mark that the stream exists, before its first event, with the request that it answers. */
  begin(request?: RequestId): void {
    this.#parts.life?.enter(this.stream)
    this.#append(`0 ${request === undefined ? '' : JSON.stringify(request)}`)
  }

  /** Leaves a mark of the last notice that came before the stream. */
  mark(at: string): void {
    this.#append(`${this.#number}${placed(at)} `)
  }

  /** Returns the id of the event. `last`: nothing follows it. `at`: the place of the notice that it is. */
  write(json: string, last = false, at?: string): string {
    this.#number += 1
    if (last) this.#parts.life?.leave(this.stream)
    this.#append(`${this.#number}${placed(at)}${last ? '.' : ' '}${json}`)
    return this.position
  }

  /** Whoever reads along is to close the connection, and its client to come back. */
  pause(retryMs: number): void {
    this.#queue((store, name) => store.publish(name, `retry ${retryMs}`))
  }

  /** Resolves when everything was written. */
  flushed(): Promise<unknown> {
    return this.#written
  }

  #append(value: string): void {
    this.#queue(async (store, name) => {
      await store.append(name, value, bound)
      await store.publish(name, value)
    })
  }

  #queue(work: (store: Store, name: string) => Promise<unknown>): void {
    const { store, session, onError } = this.#parts
    this.#written = this.#written.then(() => work(store, nameOf(session, this.stream))).catch(onError)
  }
}

/** The last event that is kept of a stream; `undefined` when there is none. */
export async function lastEvent(parts: EventLogParts, stream: string): Promise<StoredEvent | undefined> {
  return (await kept(parts, stream)).at(-1)
}

async function eventsAfter(
  parts: EventLogParts,
  position: Position,
): Promise<readonly StoredEvent[] | undefined> {
  return following(await kept(parts, position.stream), position)
}

/** Everything that is kept of a stream. */
export async function kept(
  { store, session }: EventLogParts,
  stream: string,
): Promise<readonly StoredEvent[]> {
  const entries = (await store.read(nameOf(session, stream))) ?? []
  return entries.map(({ value }) => parse(value)).filter((entry) => 'number' in entry)
}

/** What came after a position; `undefined`: some of it is gone. */
export function following(
  events: readonly StoredEvent[],
  { number }: Position,
): readonly StoredEvent[] | undefined {
  const [first] = events
  if (first === undefined || first.number > number + 1) return undefined
  const found = events.filter((event) => event.number > number)
  let last = number
  for (const event of found) {
    // What the store refused is missing in the middle.
    if (event.number > last + 1) return undefined
    last = Math.max(last, event.number)
  }
  return found
}

/** The channel and the log of a stream. */
export function nameOf(session: string, stream: string): string {
  return `events:${session}:${stream}`
}

export function parse(value: string): Entry {
  if (value === lives) return { lives: true }
  const [, retryMs] = /^retry (\d+)$/.exec(value) ?? []
  if (retryMs !== undefined) return { retryMs: Number(retryMs) }
  const [head = ' ', digits = '', at, mark] = /^(\d+)(?:#(\S+))?([ .])/.exec(value) ?? []
  const place = at === undefined ? undefined : decodeURIComponent(at.slice(1))
  return { number: Number(digits), last: mark === '.', json: value.slice(head.length), at: place }
}

/** Opaque, and perhaps empty. */
function placed(at: string | undefined): string {
  return at === undefined ? '' : `#=${encodeURIComponent(at)}`
}
