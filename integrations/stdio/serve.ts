/** A router on two streams, whatever runtime they are of. */

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

/** Who calls, over which streams, and how it ends. */
export type StdioOptions<E extends object = Register> = CallerOptions<E> &
  DuplexLimits & {
    /** Default: the process's stdin. */
    input?: Readable | undefined
    /** Default: the process's stdout. */
    output?: Writable | undefined
    /** Called once, when the last answer is written. */
    onClose?: (() => unknown) | undefined
    /**
     * Whether the process goes when its client does, soon after the promise has resolved, whatever else would keep it.
     * Default true; false with an `input` of your own.
     */
    exit?: boolean | undefined
  }

/** The options once their types have done their work. */
export type AnyOptions = Omit<StdioOptions<object>, 'user' | 'userId' | 'context'> & {
  readonly user?: unknown
  readonly userId?: ((user: unknown) => string | number | undefined) | undefined
  readonly context?: object | undefined
}

export interface Streams {
  readonly input: Readable
  readonly output: Writable
  /** How to write to `output`, where that is not its own way. */
  readonly write?: (text: string, done: () => void) => boolean
  /** Is given a way to end it, and returns a way to need it no more. */
  readonly whenStopped?: ((stop: () => void) => () => void) | undefined
}

/** Requests that a script pipes in may be many, and their sender is the user of this process. */
const mostCalls = 1_000

/** Resolves when the last answer is written. Options that do not fit have been refused before. */
export async function serveStreams(
  router: McpRouter<object>,
  options: AnyOptions,
  { input, output, write = (text, done) => output.write(text, done), whenStopped }: Streams,
): Promise<void> {
  const { user, userId, context, scopes } = options
  const limits = withDefaults(options, mostCalls)
  const channel = new LineChannel(output, write)
  const caller = { user, userId, context, scopes }
  const duplex = new Duplex(router, channel, { ...limits, caller, unknownAs: 'stdio', local: true })
  const stopReading = read(input, new LineFeed(duplex, channel, limits.maxBodyBytes), () => {
    void duplex.finish(limits.drainMs)
  })
  const onBroken = (): void => duplex.drop()
  output.on('error', onBroken).on('close', onBroken)
  const forget = whenStopped?.(() => void duplex.close(limits.drainMs))
  await channel.ended
  stopReading()
  forget?.()
  // An error that comes late finds a listener all the same: nobody is left to be told of it.
  output.off('close', onBroken)
}

/** @throws TypeError for options that do not exist or do not fit. */
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

/** A reader this far behind is sent nothing that it can do without. */
const mostWaitingBytes = 4 * 1024 * 1024

export class LineChannel implements PacedChannel {
  /** Resolves when nothing is written any more. */
  readonly ended: Promise<void>
  readonly #output: Writable
  readonly #write: (text: string, done: () => void) => boolean
  #room: Promise<void> | undefined
  #end: () => void = () => {}

  /** `write`: how to write to `output`, where that is not its own way. */
  constructor(output: Writable, write: (text: string, done: () => void) => boolean) {
    this.#output = output
    this.#write = write
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get isBehind(): boolean {
    return this.#output.writableLength > mostWaitingBytes
  }

  write(text: string, sent: () => void): void {
    if (this.#output.destroyed) sent()
    else if (!this.#write(`${text}\n`, sent)) this.#room ??= this.#drained()
  }

  room(): Promise<void> | undefined {
    return this.#room
  }

  end(): void {
    this.#end()
  }

  async #drained(): Promise<void> {
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

/** Calls `onEnd` once, when no more can come. Returns a way to stop. */
export function read(input: Readable, feed: LineFeed, onEnd: () => void): () => void {
  let stopped = false
  const encoder = new TextEncoder()
  /** What is being taken: nothing is read meanwhile, and the end comes after it. */
  let taking: Promise<void> | undefined
  const leave = (): void => void input.off('data', onData).off('end', onLast).off('close', onLast).pause()
  const onData = (piece: Uint8Array | string): void => {
    const pushed = feed.push(typeof piece === 'string' ? encoder.encode(piece) : piece)
    if (pushed === undefined) return
    input.pause()
    taking = pushed.then(() => {
      taking = undefined
      if (!stopped) input.resume()
    })
  }
  const onLast = (): void => {
    leave()
    if (taking === undefined) finish()
    else void taking.then(finish)
  }
  const finish = (): void => {
    if (stopped) return
    feed.end()
    onEnd()
  }
  // What cannot be read ends, as what was closed does.
  input.once('error', onLast).on('error', nothing)
  input.on('data', onData).on('end', onLast).on('close', onLast).resume()
  if (input.readableEnded || input.destroyed) onLast()
  return () => {
    stopped = true
    leave()
  }
}

function nothing(): void {}
