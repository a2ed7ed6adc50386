/** One conversation with what a command is about: opened, cancelled by Ctrl-C, closed. */

import type { Client } from './client/client.js'
import { Cancelled } from './exit-codes.js'
import type { Input } from './options.js'
import { connect } from './target.js'
import type { Terminal } from './terminal/terminal.js'

/** @throws Cancelled for Ctrl-C, and as `connect` and `work` do */
export async function converse<T>(
  { positionals: [place = ''], values }: Input,
  terminal: Terminal,
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  // A second Ctrl-C ends the process.
  process.once('SIGINT', () => controller.abort(new Cancelled()))
  const gone = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), patience).unref())
  })
  gone.catch(() => {})
  const talk = async (): Promise<T> => {
    const client = await connect(place, values, { terminal, signal })
    signal.throwIfAborted()
    try {
      return await work(client, signal)
    } finally {
      await client.close().catch(() => {})
    }
  }
  return Promise.race([talk(), gone])
}

/** For a server that does not hear that it is left. Milliseconds. */
const patience = 3_000
