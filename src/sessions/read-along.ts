/** Resumes a stream for a client that reconnects: sends the missed events, then new ones from any machine. */

import { ErrorCode, refusal } from '../errors/errors.js'
import { errorResponse } from '../protocol/jsonrpc.js'
import type { RequestId } from '../protocol/types.js'
import { jsonText } from '../support/long-numbers.js'
import {
  type EventLogParts,
  eventId,
  eventsFollowing,
  type Position,
  parseEntry,
  readEvents,
  type StoredEvent,
  type StreamMessage,
  streamKey,
} from './event-log.js'
import type { LivenessCheck } from './stream-life.js'

/** The connection that a client reads events from. */
export interface Connection {
  readonly ended: boolean
  /** Whether the reader is too slow to get further notifications. */
  readonly isBehind: boolean
  answer(json: string, id?: string): void
  /** Sends a notification; returns false if the reader is too slow. */
  notify(json: string, id?: string): boolean
  /** Sends the time after which the client should reconnect. */
  retry(retryMs: number): void
  end(): void
  onEnd(listener: () => void): void
}

/**
 * Sends the events after `position`, then new ones, until the last event, a pause, or the end of the connection. Resolves
 * to `false` and sends nothing if some events after `position` are missing.
 */
export async function followStream(
  parts: EventLogParts,
  position: Position,
  connection: Connection,
): Promise<boolean> {
  let sent = position.number
  let buffered: StreamMessage[] | undefined = []
  let liveness: LivenessCheck | undefined
  const deliver = (entry: StreamMessage): void => {
    if (connection.ended) return
    liveness?.markAlive()
    if ('alive' in entry) return
    if ('retryMs' in entry) {
      connection.retry(entry.retryMs)
      connection.end()
      return
    }
    // Events published while the log was being read are in both the log and the buffer.
    if (entry.number <= sent) return
    // A slow client reconnects for the rest.
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
  const name = streamKey(parts.session, position.stream)
  const stop = await parts.store.subscribe(name, (value) => {
    const entry = parseEntry(value)
    if (buffered === undefined) deliver(entry)
    else buffered.push(entry)
  })
  connection.onEnd(stop)
  const kept = await readEvents(parts, position.stream)
  const events = eventsFollowing(kept, position)
  if (events === undefined) {
    stop()
    return false
  }
  for (const entry of [...events, ...buffered]) deliver(entry)
  buffered = undefined
  // The client already has the last event.
  const end = kept.at(-1)
  if (end?.last === true && position.number >= end.number) connection.end()
  if (connection.ended || parts.liveness === undefined) return true
  liveness = parts.liveness.watch(parts.session, position.stream, () => endAsLost(connection, kept))
  connection.onEnd(liveness.stop)
  return true
}

/** Ends the connection with an error response, because the call's process has died. */
function endAsLost(connection: Connection, [mark]: readonly StoredEvent[]): void {
  // Without the start entry, the id of the request is unknown.
  if (mark?.number === 0 && mark.json !== '') {
    const message =
      'The call was lost: the server process that ran it has stopped. It may have done part of its work'
    const error = refusal(ErrorCode.InternalError, message)
    connection.answer(jsonText(errorResponse(JSON.parse(mark.json) as RequestId, error)))
  }
  connection.end()
}
