/** A client of `serveStdio()` in this process, on streams of its own. */
import { PassThrough } from 'node:stream'
import type { McpRouter } from 'mcp-router'
import { type StdioOptions, serveStdio } from 'mcp-router/stdio'
import { onTestFinished } from 'vitest'
import { envelope } from '../../wire/client.js'

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every kind
export type Message = any

export interface StdioSession {
  readonly input: PassThrough
  readonly output: PassThrough
  /** Resolves when `serveStdio()` does. */
  readonly served: Promise<void>
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

export function session(router: McpRouter, options: StdioOptions<object> = {}): StdioSession {
  const input = new PassThrough()
  const output = new PassThrough()
  const received: Message[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    received.push(...lines.map((line) => JSON.parse(line)))
    for (const look of [...waiting]) look()
  })
  const served = serveStdio(router as McpRouter<object>, { input, output, ...options })
  onTestFinished(() => {
    input.destroy()
    output.destroy()
    return served
  })
  const write = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`)
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
  let id = 0
  const ask = (method: string, params: object = {}): Promise<Message> => {
    id += 1
    write({ jsonrpc: '2.0', id, method, params })
    return answer(id)
  }
  return {
    input,
    output,
    served,
    received,
    write,
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
}
