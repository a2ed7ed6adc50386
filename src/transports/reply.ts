/** JSON unless something streams: the answer becomes an event stream at its first notice, before the status went out. */

import type { Core } from '../core.js'
import type { JsonRpcNotification } from '../protocol/types.js'
import type { Accepted } from './accept.js'
import type { HttpResponse } from './shapes.js'
import { EventStream, frame, type KeepAlive, sseHeaders } from './sse.js'

/** What a request came to: JSON texts (a batch has several), or none when nobody waits. */
export interface Answered {
  readonly status: number
  readonly headers: Record<string, string>
  readonly messages: readonly string[]
  /** Sent as an array, however many there are. */
  readonly batch: boolean
}

export type Send = (message: JsonRpcNotification) => boolean

/** Runs `work` and resolves as soon as the form of the answer is known. `work` must not reject. */
export function reply(
  { core, keepAlive }: { core: Core; keepAlive: KeepAlive },
  { accept, onReaderGone }: { accept: Accepted; onReaderGone: () => void },
  work: (send: Send) => Promise<Answered>,
): Promise<HttpResponse> {
  return new Promise((resolve) => {
    let stream: EventStream | undefined
    const open = (): EventStream => {
      const opened = new EventStream(onReaderGone)
      keepAlive.add(opened)
      core.counts.streams += 1
      resolve({ status: 200, headers: { ...sseHeaders }, body: opened })
      return opened
    }
    const send: Send = (message) => {
      if (!accept.sse) return false
      const text = JSON.stringify(message)
      stream ??= open()
      return stream.notify(text)
    }
    void work(send).then((answered) => {
      if (stream === undefined) return resolve(toResponse(answered, accept))
      for (const message of answered.messages) stream.answer(message)
      stream.end()
      keepAlive.delete(stream)
      core.counts.streams -= 1
    })
  })
}

function toResponse({ status, headers, messages, batch }: Answered, accept: Accepted): HttpResponse {
  if (messages.length === 0) return { status, headers, body: undefined }
  if (!accept.json && status === 200) {
    return { status, headers: { ...headers, ...sseHeaders }, body: messages.map(frame).join('') }
  }
  const body = batch ? `[${messages.join(',')}]` : (messages[0] as string)
  headers['Content-Type'] = 'application/json'
  return { status, headers, body }
}
