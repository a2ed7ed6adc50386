/** The stdio transport: the client starts this process, writes to its stdin and reads its stdout. */

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
  type OptionsArgument,
  type OptionTable,
  type Register,
  withDefaults,
} from '../../src/adapter.js'
import { LineChannel } from './channel.js'
import { leaveSoon, onSignals } from './process.js'
import { read } from './read.js'
import { protectStdout, stdoutWriter } from './stdout.js'

export { protectStdout } from './stdout.js'

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

/** Requests that a script pipes in may be many, and their sender is the user of this process. */
const mostCalls = 1_000

/**
 * Serves a router to the client that started this process (specification, Transports, stdio): both eras, until stdin
 * ends, stdout is closed, the process gets SIGTERM or SIGINT, or the router is closed. Running calls get `drainMs` to
 * end. Resolves when the last answer is written.
 *
 * ```ts
 * await serveStdio(router, { user: { id: process.env.USER } })
 * ```
 *
 * stdout belongs to the protocol meanwhile: everything else that this process writes there goes to stderr.
 * @throws TypeError for options that do not exist or do not fit.
 */
export async function serveStdio<E extends object = Register>(
  router: McpRouter<E>,
  ...[given]: OptionsArgument<StdioOptions<E>>
): Promise<void> {
  const options = (given ?? {}) as AnyOptions
  checkOptions('serveStdio()', options, table)
  const { input = process.stdin, output = process.stdout, user, userId, context, scopes } = options
  const { exit = options.input === undefined } = options
  const limits = withDefaults(options, mostCalls)
  const isStdout = output === process.stdout
  const release = isStdout ? protectStdout() : nothing
  const channel = new LineChannel(
    output,
    isStdout ? stdoutWriter() : (text, done) => output.write(text, done),
  )
  const duplex = new Duplex(router as unknown as McpRouter<object>, channel, {
    ...limits,
    caller: { user, userId, context, scopes },
    unknownAs: 'stdio',
  })
  const stopReading = read(input, new LineFeed(duplex, channel, limits.maxBodyBytes), () => {
    void duplex.finish(limits.drainMs)
  })
  const onBroken = (): void => duplex.drop()
  output.on('error', onBroken).on('close', onBroken)
  const stopSignals = exit ? onSignals(() => void duplex.close(limits.drainMs)) : nothing
  await channel.ended
  stopReading()
  stopSignals()
  release()
  // An error that comes late finds a listener all the same: nobody is left to be told of it.
  output.off('close', onBroken)
  await options.onClose?.()
  if (exit) leaveSoon()
}

/** The options once their types have done their work. */
type AnyOptions = Omit<StdioOptions<object>, 'user' | 'userId' | 'context'> & {
  readonly user?: unknown
  readonly userId?: ((user: unknown) => string | number | undefined) | undefined
  readonly context?: object | undefined
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

function nothing(): void {}
