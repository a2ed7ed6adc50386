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
  type Register,
  withDefaults,
} from '../../src/adapter.js'
import { LineChannel } from './channel.js'
import { read } from './read.js'

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
