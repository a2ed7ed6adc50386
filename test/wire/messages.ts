/** A client of a connection, whatever carries its messages. */

import { envelope } from './client.js'

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every kind
export type Message = any

export interface MessageClient {
  /** Everything that came, in its order. */
  readonly received: Message[]
  write(message: unknown): void
  /** The next message that `fits`; it is not taken away. */
  find(fits: (message: Message) => boolean): Promise<Message>
  answer(id: number | string): Promise<Message>
  /** A request before 2026-07-28, and its answer. */
  ask(method: string, params?: object): Promise<Message>
  /** A request of 2026-07-28, and its answer. */
  modern(method: string, params?: object, capabilities?: object): Promise<Message>
  initialize(protocolVersion?: string, capabilities?: object): Promise<Message>
}

/** `write` sends one message as text; give `take` what comes. */
export function messageClient(write: (text: string) => void) {
  const received: Message[] = []
  const waiting = new Set<() => void>()
  const take = (...texts: string[]): void => {
    received.push(...texts.map((text) => JSON.parse(text)))
    for (const look of [...waiting]) look()
  }
  const find = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = received.find(fits)
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const answer = (id: number | string): Promise<Message> =>
    find((message) => message.id === id && message.method === undefined)
  let last = 0
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++last
    client.write({ jsonrpc: '2.0', id, method, params })
    return answer(id)
  }
  const client: MessageClient = {
    received,
    write: (message) => write(JSON.stringify(message)),
    find,
    answer,
    ask,
    modern: (method, params = {}, capabilities = {}) =>
      ask(method, {
        ...params,
        _meta: envelope({ 'io.modelcontextprotocol/clientCapabilities': capabilities }),
      }),
    initialize: (protocolVersion = '2025-11-25', capabilities = {}) =>
      ask('initialize', { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } }),
  }
  return { client, take }
}
