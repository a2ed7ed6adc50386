/** The terminal of this process. */

import { createInterface } from 'node:readline'
import type { Terminal } from './terminal.js'

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  // Kept: what the app writes there goes elsewhere.
  const write = stdout.write.bind(stdout)
  const isPerson = stdin.isTTY === true && stderr.isTTY === true
  return {
    out: (answer, written) => void write(typeof answer === 'string' ? `${answer}\n` : answer, written),
    error: (text) => void stderr.write(`${text}\n`),
    // Some terminals say 0: they do not know.
    width: stdout.isTTY && stdout.columns > 0 ? stdout.columns : undefined,
    // https://no-color.org
    colour: stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    input: stdin,
    ask: isPerson ? askHere : undefined,
  }
}

function askHere(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve, reject) => {
    // While it reads, Ctrl-C comes here and not to the process. Where nobody waits for that, it ends the question.
    lines.once('SIGINT', () => void (process.emit('SIGINT') || lines.close()))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    lines.once('close', () => resolve(undefined))
    lines.question(question, resolve)
  }).finally(() => lines.close()) as Promise<string | undefined>
}
