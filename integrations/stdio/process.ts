/** The end of a process that serves one client. */

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** What the program may still do after its client has left: close a database, say goodbye. Milliseconds. */
const graceMs = 1_000

/** The first signal of a kind is for `listener`; a second one ends the process at once. Returns a way to stop. */
export function onSignals(listener: () => void): () => void {
  for (const signal of signals) process.once(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/** A client that has left waits for no connection pool. */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), graceMs).unref()
}
