/** Ends what a router is made of, in the order that leaves no call without an answer. */

import { Interrupted } from '../errors/classify-error.js'
import type { InFlightRequests } from '../support/in-flight.js'
import type { Core } from './core.js'

/** How long calls may take to end once they were aborted. Milliseconds. */
const lastMs = 1_000

/** Resolves when nothing runs any more, or what does was told to end and does not. */
export async function closeCore(core: Core, drainMs: number): Promise<void> {
  const { inFlight, runner, tasks, sessions, store, ownsStore } = core
  inFlight.close()
  closeNotifications(core)
  const idle = endAll(inFlight, drainMs)
  await Promise.all([idle, runner?.close(idle)])
  tasks.close()
  sessions?.close()
  if (ownsStore) await store.close()
}

/** Those who only listen would keep a closing server waiting. */
function closeNotifications({ notifications, sessionStreams, subscriptions }: Core): void {
  sessionStreams.close()
  notifications.close()
  subscriptions.close()
}

async function endAll(running: InFlightRequests, drainMs: number): Promise<void> {
  await running.drained(drainMs)
  running.abortAll(new Interrupted('AbortError', 'the server is closing'))
  await running.drained(lastMs)
}
