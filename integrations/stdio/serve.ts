/** Serves a router on two streams, on any runtime. */

import type { Readable, Writable } from 'node:stream'
import {
  aBoolean,
  type CallerOptions,
  type Check,
  checkOptions,
  Duplex,
  type DuplexLimits,
  duplexOptionTable,
  expected,
  LineFeed,
  type McpRouter,
  type OptionTable,
  type PacedChannel,
  type Register,
  withDefaults,
} from '../../src/adapter.js'

/** Options of `serveStdio()`: the caller, limits, streams, and the end. */
export type StdioOptions<E extends object = Register> = CallerOptions<E> &
  DuplexLimits & {
    /** Default: the process's stdin. */
    input?: Readable | undefined
    /** Default: the process's stdout. */
    output?: Writable | undefined
    /** Called once, when the last response is written. */
    onClose?: (() => unknown) | undefined
    /**
     * Whether the process exits when the client disconnects, shortly after the promise has resolved, even if open
     * handles would keep it alive. Default: true, or false if you set `input`.
     */
    exit?: boolean | undefined
  }

/** The options without type parameters, for internal use. */
export type AnyOptions = Omit<StdioOptions<object>, 'user' | 'userId' | 'context'> & {
  readonly user?: unknown
  readonly userId?: ((user: unknown) => string | number | undefined) | undefined
  readonly context?: object | undefined
}

export interface Streams {
  readonly input: Readable
  readonly output: Writable
  /** Writes to `output`. Default: `output.write()`. */
  readonly write?: (text: string, done: () => void) => boolean
  /** Registers a function that stops serving, for example at a signal. Returns a function that unregisters it. */
  readonly whenStopped?: ((stop: () => void) => () => void) | undefined
}

/**
 * Default limit on concurrent requests. High, because a script may pipe in many, and the sender is the user of this
 * process.
 */
const defaultMaxCalls = 1_000

/** Serves a router. Resolves when the last response is written. Expects options that are checked already. */
export async function serveStreams(
  router: McpRouter<object>,
  options: AnyOptions,
  { input, output, write = (text, done) => output.write(text, done), whenStopped }: Streams,
): Promise<void> {
  const { user, userId, context, scopes } = options
  const limits = withDefaults(options, defaultMaxCalls)
  const channel = new LineChannel(output, write)
  const caller = { user, userId, context, scopes }
  const duplex = new Duplex(router, channel, { ...limits, caller, unknownAs: 'stdio', local: true })
  const stopReading = read(input, new LineFeed(duplex, channel, limits.maxBodyBytes), () => {
    void duplex.finish(limits.drainMs)
  })
  const onBroken = (): void => duplex.drop()
  output.on('error', onBroken).on('close', onBroken)
  const unregister = whenStopped?.(() => void duplex.close(limits.drainMs))
  await channel.ended
  stopReading()
  unregister?.()
  // The `error` listener stays, so that a late error doesn't end the process.
  output.off('close', onBroken)
}

/** Checks the options. @throws TypeError for unknown or invalid options. */
export function checkStdioOptions(options: AnyOptions): void {
  checkOptions('serveStdio()', options, table)
}

const hasMethod =
  (name: string) =>
  (value: unknown): boolean =>
    typeof (value as Record<string, unknown> | null)?.[name] === 'function'
const aReadable: Check = expected('a readable stream', hasMethod('resume'))
const aWritable: Check = expected('a writable stream', hasMethod('write'))

const table: OptionTable = {
  known: { ...duplexOptionTable.known, input: aReadable, output: aWritable, exit: aBoolean },
}

/** Amount of unsent data from which dispensable messages are dropped. */
const dropThresholdBytes = 4 * 1024 * 1024

export class LineChannel implements PacedChannel {
  /** Resolves when nothing more will be written. */
  readonly ended: Promise<void>
  readonly #output: Writable
  readonly #write: (text: string, done: () => void) => boolean
  #room: Promise<void> | undefined
  #end: () => void = () => {}

  /** `write`: writes to `output`. */
  constructor(output: Writable, write: (text: string, done: () => void) => boolean) {
    this.#output = output
    this.#write = write
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get isBehind(): boolean {
    return this.#output.writableLength > dropThresholdBytes
  }

  write(text: string, sent: () => void): void {
    if (this.#output.destroyed) sent()
    else if (!this.#write(`${text}\n`, sent)) this.#room ??= this.#waitForDrain()
  }

  room(): Promise<void> | undefined {
    return this.#room
  }

  end(): void {
    this.#end()
  }

  async #waitForDrain(): Promise<void> {
    const output = this.#output
    await new Promise<void>((resolve) => {
      const done = (): void => {
        output.off('drain', done).off('close', done).off('error', done)
        resolve()
      }
      output.on('drain', done).on('close', done).on('error', done)
      void this.ended.then(done)
    })
    this.#room = undefined
  }
}

/** Reads from a stream. Calls `onEnd` once, when there's no more input. Returns a function that stops reading. */
export function read(input: Readable, feed: LineFeed, onEnd: () => void): () => void {
  let stopped = false
  const encoder = new TextEncoder()
  /** The piece being processed. Input is paused, and the end waits, until it's done. */
  let processing: Promise<void> | undefined
  const removeListeners = (): void =>
    void input.off('data', onData).off('end', onLast).off('close', onLast).pause()
  const onData = (piece: Uint8Array | string): void => {
    const pushed = feed.push(typeof piece === 'string' ? encoder.encode(piece) : piece)
    if (pushed === undefined) return
    input.pause()
    processing = pushed.then(() => {
      processing = undefined
      if (!stopped) input.resume()
    })
  }
  const onLast = (): void => {
    removeListeners()
    if (processing === undefined) finish()
    else void processing.then(finish)
  }
  const finish = (): void => {
    if (stopped) return
    feed.end()
    onEnd()
  }
  // An error ends the input, as closing it does.
  input.once('error', onLast).on('error', noop)
  input.on('data', onData).on('end', onLast).on('close', onLast).resume()
  if (input.readableEnded || input.destroyed) onLast()
  return () => {
    stopped = true
    removeListeners()
  }
}

function noop(): void {}
