/**
 * The log of a session stream's events, kept in the store for clients that lose their connection (specification,
 * Streamable HTTP, Resumability). The machine that writes the stream appends; the machine that the client reconnects to
 * reads.
 */

import { runtime } from '#runtime'
import type { RequestId } from '../protocol/types.js'
import type { LogBound, Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { aliveMessage, type WriterLiveness } from './stream-life.js'

/** Limits of the log of one stream. */
const logBound: LogBound = { entries: 1_000, bytes: 1024 * 1024, ageMs: 15 * 60_000 }

/** A client's position in a stream, from `Last-Event-ID`. Events are numbered from 1; 0 is before the first. */
export interface Position {
  readonly stream: string
  readonly number: number
}

export type StreamKind = 'answer' | 'standalone'

const kindLetters: Readonly<Record<StreamKind, string>> = { answer: 'a', standalone: 's' }

/** Creates the id of a new stream. Its first letter is the stream's kind. */
export function newStreamId(kind: StreamKind): string {
  return kindLetters[kind] + toBase64Url(runtime.random(9))
}

export function kindOf({ stream }: Position): StreamKind {
  return stream.startsWith(kindLetters.answer) ? 'answer' : 'standalone'
}

export function eventId({ stream, number }: Position): string {
  return `${stream}.${number}`
}

/** Parses an event id. Returns `undefined` for an id that this server didn't create. */
export function readEventId(text: string): Position | undefined {
  const [, stream, number] = /^([as][\w-]{12})\.(\d{1,12})$/.exec(text) ?? []
  return stream === undefined ? undefined : { stream, number: Number(number) }
}

export interface StoredEvent {
  readonly number: number
  readonly json: string
  /** Whether this is the stream's last event. */
  readonly last: boolean
  /** If the event is a notification, its id in the log of notifications. */
  readonly notificationId?: string | undefined
}

/** A message from a stream's writer to its readers: an event, a sign of life, or a request to close the connection for a while. */
export type StreamMessage = StoredEvent | { readonly alive: true } | { readonly retryMs: number }

export interface EventLogParts {
  readonly store: Store
  /** The key of the session that the stream belongs to. */
  readonly session: string
  /** Called with errors of the store. */
  readonly onError: (error: unknown) => void
  /** `undefined` if no other machine shares the store. */
  readonly liveness?: WriterLiveness | undefined
}

/** Writes the events of one stream. Callers don't wait for the store. An event that the store can't take can't be resumed. */
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

  /** Resolves to the kept events after `number`, or to `undefined` if some of them are missing. */
  after(number: number): Promise<readonly StoredEvent[] | undefined> {
    return eventsAfter(this.#parts, { stream: this.stream, number })
  }

  /** Records that the stream exists, before its first event, with the id of the request that it answers. */
  writeStart(request?: RequestId): void {
    this.#parts.liveness?.startWriting(this.stream)
    this.#append(`0 ${request === undefined ? '' : JSON.stringify(request)}`)
  }

  /** Records the id of the last notification before the stream. */
  markNotification(id: string): void {
    this.#append(`${this.#number}${formatNotificationId(id)} `)
  }

  /**
   * Writes an event and returns its id. `last` marks the stream's last event; `notificationId` is the event's id in the log
   * of notifications, if it's a notification.
   */
  write(json: string, last = false, notificationId?: string): string {
    this.#number += 1
    if (last) this.#parts.liveness?.stopWriting(this.stream)
    this.#append(`${this.#number}${formatNotificationId(notificationId)}${last ? '.' : ' '}${json}`)
    return this.position
  }

  /** Makes readers close the connection, so that the client reconnects after `retryMs`. */
  pause(retryMs: number): void {
    this.#queue((store, name) => store.publish(name, `retry ${retryMs}`))
  }

  /** Resolves when all events have been written. */
  flushed(): Promise<unknown> {
    return this.#written
  }

  #append(value: string): void {
    this.#queue(async (store, name) => {
      await store.append(name, value, logBound)
      await store.publish(name, value)
    })
  }

  #queue(work: (store: Store, name: string) => Promise<unknown>): void {
    const { store, session, onError } = this.#parts
    this.#written = this.#written.then(() => work(store, streamKey(session, this.stream))).catch(onError)
  }
}

/** Resolves to the last kept event of a stream, or to `undefined` if there is none. */
export async function lastEvent(parts: EventLogParts, stream: string): Promise<StoredEvent | undefined> {
  return (await readEvents(parts, stream)).at(-1)
}

async function eventsAfter(
  parts: EventLogParts,
  position: Position,
): Promise<readonly StoredEvent[] | undefined> {
  return eventsFollowing(await readEvents(parts, position.stream), position)
}

/** Reads all kept events of a stream. */
export async function readEvents(
  { store, session }: EventLogParts,
  stream: string,
): Promise<readonly StoredEvent[]> {
  const entries = (await store.read(streamKey(session, stream))) ?? []
  return entries.map(({ value }) => parseEntry(value)).filter((entry) => 'number' in entry)
}

/** Selects the events after a position. Returns `undefined` if some of them are missing. */
export function eventsFollowing(
  events: readonly StoredEvent[],
  { number }: Position,
): readonly StoredEvent[] | undefined {
  const [first] = events
  if (first === undefined || first.number > number + 1) return undefined
  const found = events.filter((event) => event.number > number)
  let last = number
  for (const event of found) {
    // A gap: the store didn't take some event.
    if (event.number > last + 1) return undefined
    last = Math.max(last, event.number)
  }
  return found
}

/** The name of a stream's channel and log in the store. */
export function streamKey(session: string, stream: string): string {
  return `events:${session}:${stream}`
}

export function parseEntry(value: string): StreamMessage {
  if (value === aliveMessage) return { alive: true }
  const [, retryMs] = /^retry (\d+)$/.exec(value) ?? []
  if (retryMs !== undefined) return { retryMs: Number(retryMs) }
  const [head = ' ', digits = '', at, mark] = /^(\d+)(?:#(\S+))?([ .])/.exec(value) ?? []
  const place = at === undefined ? undefined : decodeURIComponent(at.slice(1))
  return { number: Number(digits), last: mark === '.', json: value.slice(head.length), notificationId: place }
}

/** Formats a notification's id for the log. The id is opaque and may be an empty string. */
function formatNotificationId(id: string | undefined): string {
  return id === undefined ? '' : `#=${encodeURIComponent(id)}`
}
