/** Runs the requests of one command with a client: connects, handles Ctrl-C, closes. */

import type { Client } from './client/client.js'
import { Cancelled } from './exit-codes.js'
import type { Input } from './options.js'
import { connect } from './target.js'
import type { Terminal } from './terminal/terminal.js'

/** Runs `work` with a connected client. @throws Cancelled for Ctrl-C, and as `connect` and `work` do */
export async function withClient<T>(
  { positionals: [target = ''], values }: Input,
  terminal: Terminal,
  work: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  // A second Ctrl-C ends the process.
  process.once('SIGINT', () => controller.abort(new Cancelled()))
  const cancelled = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), cancelTimeoutMs).unref())
  })
  cancelled.catch(() => {})
  const run = async (): Promise<T> => {
    const client = await connect(target, values, { terminal, signal })
    signal.throwIfAborted()
    try {
      return await work(client, signal)
    } finally {
      await client.close().catch(() => {})
    }
  }
  return Promise.race([run(), cancelled])
}

/** How long a cancelled command waits for the server. Milliseconds. */
const cancelTimeoutMs = 3_000
