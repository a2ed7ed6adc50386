/** The stdio transport: the client starts this process, writes to its stdin and reads its stdout. */

import type { McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { exitSoon, onSignals } from './process.js'
import { type AnyOptions, checkStdioOptions, type StdioOptions, serveStreams } from './serve.js'
import { protectStdout, stdoutWriter } from './stdout.js'

export type { StdioOptions } from './serve.js'
export { protectStdout } from './stdout.js'

/**
 * Serves a router to the client that started this process (specification, Transports, stdio), in both protocol eras.
 * Serves until stdin ends, stdout is closed, the process gets SIGTERM, SIGINT or SIGHUP, or the router is closed.
 * Running calls get `drainMs` to finish. Resolves when the last response is written.
 *
 * ```ts
 * await serveStdio(router, { user: { id: process.env.USER } })
 * ```
 *
 * Until then, stdout is reserved for the protocol: everything else that this process writes to stdout goes to stderr.
 * @throws TypeError for unknown or invalid options.
 */
export async function serveStdio<E extends object = Register>(
  router: McpRouter<E>,
  ...[given]: OptionsArgument<StdioOptions<E>>
): Promise<void> {
  const options = (given ?? {}) as AnyOptions
  checkStdioOptions(options)
  const { input = process.stdin, output = process.stdout, exit = options.input === undefined } = options
  const isStdout = output === process.stdout
  const release = isStdout ? protectStdout() : noop
  await serveStreams(router as unknown as McpRouter<object>, options, {
    input,
    output,
    ...(isStdout && { write: stdoutWriter() }),
    whenStopped: exit ? onSignals : undefined,
  })
  release()
  await options.onClose?.()
  if (exit) exitSoon()
}

function noop(): void {}
