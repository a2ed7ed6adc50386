/** The stdio transport on Bare. */

import './globals.js'
import stdio from 'bare-stdio'
import type { McpRouter, OptionsArgument, Register } from '../../src/adapter.js'
import { type AnyOptions, checkStdioOptions, type StdioOptions, serveStreams } from '../stdio/serve.js'

export type { StdioOptions } from '../stdio/serve.js'

/**
 * Works like Node's `serveStdio()`, on the stdin and stdout of a Bare process. Meanwhile, `console` writes to stderr.
 * There's no handling of signals.
 * @throws TypeError for unknown or invalid options.
 */
export async function serveStdio<E extends object = Register>(
  router: McpRouter<E>,
  ...[given]: OptionsArgument<StdioOptions<E>>
): Promise<void> {
  const options = (given ?? {}) as AnyOptions
  checkStdioOptions(options)
  const { input = stdio.in, output = stdio.out, exit = options.input === undefined } = options
  const release = output === stdio.out ? protectStdout() : noop
  await serveStreams(router as unknown as McpRouter<object>, options, { input, output })
  release()
  await options.onClose?.()
  if (exit) Bare.exit()
}

const consoleMethods = ['log', 'info', 'debug', 'table', 'dir'] as const

/** Redirects all output of `console` to stderr. Returns a function that ends the redirection. */
export function protectStdout(): () => void {
  const before = Object.fromEntries(consoleMethods.map((name) => [name, console[name]]))
  for (const name of consoleMethods) console[name] = (...args: unknown[]) => console.error(...args)
  return () => void Object.assign(console, before)
}

function noop(): void {}
