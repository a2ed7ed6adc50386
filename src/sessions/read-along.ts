/** Reads a stream for a client that came back, whichever machine writes it. */

import { ErrorCode, refusal } from '../errors/errors.js'
import { errorResponse } from '../protocol/jsonrpc.js'
import type { RequestId } from '../protocol/types.js'
import { jsonText } from '../support/long-numbers.js'
import {
  type Entry,
  type EventLogParts,
  eventId,
  following,
  kept,
  nameOf,
  type Position,
  parse,
  type StoredEvent,
} from './event-log.js'
import type { Watched } from './stream-life.js'

/** What a client reads its events from. */
export interface Connection {
  readonly ended: boolean
  /** The reader is too far behind for a notice. */
  readonly isBehind: boolean
  answer(json: string, id?: string): void
  /** Sends what it may be too far behind for; false: it is. */
  notify(json: string, id?: string): boolean
  /** When to come back. */
  retry(retryMs: number): void
  end(): void
  onEnd(listener: () => void): void
}

/**
 * Sends what followed a position, then what comes, until the last event, a pause, or the end of the connection.
 * False, and nothing is sent: some of it is gone.
 */
export async function readAlong(
  parts: EventLogParts,
  position: Position,
  connection: Connection,
): Promise<boolean> {
  let sent = position.number
  let early: Entry[] | undefined = []
  let watched: Watched | undefined
  const take = (entry: Entry): void => {
    if (connection.ended) return
    watched?.seen()
    if ('lives' in entry) return
    if ('retryMs' in entry) {
      connection.retry(entry.retryMs)
      connection.end()
      return
    }
    // What was published while the log was read is in both.
    if (entry.number <= sent) return
    // A reader that slow comes back for the rest.
    if (connection.isBehind) {
      connection.end()
      return
    }
    sent = entry.number
    const id = eventId({ stream: position.stream, number: sent })
    if (!entry.last) connection.notify(entry.json, id)
    else if (entry.json !== '') connection.answer(entry.json, id)
    if (entry.last) connection.end()
  }
  const name = nameOf(parts.session, position.stream)
  const stop = await parts.store.subscribe(name, (value) => {
    const entry = parse(value)
    if (early === undefined) take(entry)
    else early.push(entry)
  })
  connection.onEnd(stop)
  const all = await kept(parts, position.stream)
  const events = following(all, position)
  if (events === undefined) {
    stop()
    return false
  }
  for (const entry of [...events, ...early]) take(entry)
  early = undefined
  // A client that has the last event has nothing to wait for.
  const end = all.at(-1)
  if (end?.last === true && position.number >= end.number) connection.end()
  if (connection.ended || parts.life === undefined) return true
  watched = parts.life.watch(parts.session, position.stream, () => endAsLost(connection, all))
  connection.onEnd(watched.stop)
  return true
}

/** The call has no answer, and will have none. */
function endAsLost(connection: Connection, [mark]: readonly StoredEvent[]): void {
  // Where the mark is gone, nobody knows which request it was.
  if (mark?.number === 0 && mark.json !== '') {
    const message =
      'The call was lost: the server process that ran it has stopped. It may have done part of its work'
    const error = refusal(ErrorCode.InternalError, message)
    connection.answer(jsonText(errorResponse(JSON.parse(mark.json) as RequestId, error)))
  }
  connection.end()
}
