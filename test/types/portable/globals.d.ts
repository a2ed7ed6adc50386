/**
 * Everything beyond the language itself that `src/` and `integrations/fetch` may use: what Node, Bun, Deno and Workers
 * have in common. Compiled without any other types, whatever is not listed here is an error.
 */

declare var crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }
declare const performance: { now(): number }
declare const console: Record<'debug' | 'info' | 'warn' | 'error', (...data: unknown[]) => void>

/** These two are Node's: they may be looked at, and must be done without. */
declare var process: { env?: Record<string, string | undefined> } | undefined
declare var Buffer:
  | {
      from(
        text: string | ArrayBufferLike,
        encoding?: string | number,
        length?: number,
      ): { toString(encoding: string): string } & Uint8Array
    }
  | undefined

interface Timer {
  readonly timer: unique symbol
}
declare function setTimeout<A extends unknown[]>(run: (...args: A) => void, ms?: number, ...args: A): Timer
declare function clearTimeout(timer: Timer | undefined): void
declare function setInterval(run: () => void, ms: number): Timer
declare function clearInterval(timer: Timer | undefined): void

declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

declare class TextEncoder {
  encode(text: string): Uint8Array
  encodeInto(text: string, into: Uint8Array): { read: number; written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}

declare class URL {
  constructor(url: string, base?: string)
  static canParse(url: string): boolean
  readonly hash: string
  readonly host: string
  readonly href: string
  readonly origin: string
  readonly pathname: string
  readonly protocol: string
  readonly search: string
  readonly username: string
}
declare class URLSearchParams {
  constructor(search: string)
  get(name: string): string | null
  keys(): Iterable<string>
}

declare function queueMicrotask(run: () => void): void

interface Headers extends Iterable<[string, string]> {
  get(name: string): string | null
}
interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: ReadableStream<Uint8Array> | null
  readonly bodyUsed: boolean
  readonly signal: AbortSignal
}
declare class Response {
  constructor(
    body: ReadableStream<Uint8Array> | Uint8Array | string | null,
    init: { status: number; headers?: Record<string, string> },
  )
}

interface ReadableStreamDefaultReader<T> {
  read(): Promise<{ done: false; value: T } | { done: true; value: undefined }>
  cancel(): Promise<void>
}
interface ReadableStreamDefaultController<T> {
  enqueue(chunk: T): void
  close(): void
}
declare class ReadableStream<T> {
  constructor(
    source: {
      pull(controller: ReadableStreamDefaultController<T>): Promise<void>
      cancel(): void
    },
    strategy: { highWaterMark: number },
  )
  readonly locked: boolean
  getReader(): ReadableStreamDefaultReader<T>
}
