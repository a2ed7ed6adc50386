/** Reads the event streams that pages promise. */

import type { Json } from './client.js'

export interface Event {
  readonly id: string | undefined
  /** `undefined` for an event without a message. */
  readonly message: Json
}

/** The events of one answer, as they come; leaving the loop closes the connection. */
export async function* eventsOf(response: Response): AsyncGenerator<Event, void, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) yield readEvent(event)
  }
}

function readEvent(text: string): Event {
  const data = /^data: ([{[].*)$/m.exec(text)?.[1]
  return { id: /^id: (.+)$/m.exec(text)?.[1], message: data === undefined ? undefined : JSON.parse(data) }
}

/** Opens the GET stream of a session. */
export function openGet(url: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { headers: { Accept: 'text/event-stream', ...headers } })
}

/** The next message. */
export async function nextMessage(events: AsyncGenerator<Event, void, undefined>): Promise<Json> {
  for (;;) {
    const { done, value } = await events.next()
    if (done === true) return undefined
    if (value.message !== undefined) return value.message
  }
}
