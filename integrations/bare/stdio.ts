/** The stdio transport on Bare. */

import './globals.js'
import stdio from 'bare-stdio'
import type { McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { type AnyOptions, checkStdioOptions, type StdioOptions, serveStreams } from '../stdio/serve.js'

export type { StdioOptions } from '../stdio/serve.js'

/**
 * As `serveStdio()` of Node, on the stdin and stdout of a Bare process. `console` writes to stderr meanwhile; there are
 * no signals.
 * @throws TypeError for options that do not exist or do not fit.
 */
export async function serveStdio<E extends object = Register>(
  router: McpRouter<E>,
  ...[given]: OptionsArgument<StdioOptions<E>>
): Promise<void> {
  const options = (given ?? {}) as AnyOptions
  checkStdioOptions(options)
  const { input = stdio.in, output = stdio.out, exit = options.input === undefined } = options
  const release = output === stdio.out ? protectStdout() : nothing
  await serveStreams(router as unknown as McpRouter<object>, options, { input, output })
  release()
  await options.onClose?.()
  if (exit) Bare.exit()
}

const writing = ['log', 'info', 'debug', 'table', 'dir'] as const

/** From now on `console` writes to stderr only. Returns a way to end that. */
export function protectStdout(): () => void {
  const before = Object.fromEntries(writing.map((name) => [name, console[name]]))
  for (const name of writing) console[name] = (...args: unknown[]) => console.error(...args)
  return () => void Object.assign(console, before)
}

function nothing(): void {}
