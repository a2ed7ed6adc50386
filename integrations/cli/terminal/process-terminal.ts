/** The terminal of this process. */

import { createInterface } from 'node:readline'
import type { Terminal } from './terminal.js'

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  // Bound before the app is loaded, because `process.stdout.write` is then redirected to stderr.
  const write = stdout.write.bind(stdout)
  const isInteractive = stdin.isTTY === true && stderr.isTTY === true
  return {
    out: (output, written) => void write(typeof output === 'string' ? `${output}\n` : output, written),
    error: (text) => void stderr.write(`${text}\n`),
    // Some terminals report 0 for an unknown width.
    width: stdout.isTTY && stdout.columns > 0 ? stdout.columns : undefined,
    // https://no-color.org
    colour: stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    input: stdin,
    ask: isInteractive ? ask : undefined,
  }
}

function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve, reject) => {
    // readline receives Ctrl-C instead of the process, so pass it on. Without a listener it ends the question.
    lines.once('SIGINT', () => void (process.emit('SIGINT') || lines.close()))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    lines.once('close', () => resolve(undefined))
    lines.question(question, resolve)
  }).finally(() => lines.close()) as Promise<string | undefined>
}
