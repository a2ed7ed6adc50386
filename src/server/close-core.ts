/** Ends what a router is made of, in the order that leaves no call without an answer. */

import type { Core } from './core.js'
import { Interrupted } from '../errors/classify-error.js'
import type { Running } from '../support/in-flight.js'

/** How long calls may take to end once they were aborted. Milliseconds. */
const lastMs = 1_000

/** Resolves when nothing runs any more, or what does was told to end and does not. */
export async function closeCore(core: Core, drainMs: number): Promise<void> {
  const { running, runner, tasks, sessions, store, ownsStore } = core
  running.close()
  stopTelling(core)
  const idle = endAll(running, drainMs)
  await Promise.all([idle, runner?.close(idle)])
  tasks.close()
  sessions?.close()
  if (ownsStore) await store.close()
}

/** Those who only listen would keep a closing server waiting. */
function stopTelling({ notices, sessionStreams, subscriptions }: Core): void {
  sessionStreams.close()
  notices.close()
  subscriptions.close()
}

async function endAll(running: Running, drainMs: number): Promise<void> {
  await running.drained(drainMs)
  running.abortAll(new Interrupted('AbortError', 'the server is closing'))
  await running.drained(lastMs)
}
