/** Signals and exit of a process that serves one client. */

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/**
 * Time for the program to clean up after its client has disconnected, for example to close a database. Milliseconds.
 */
const graceMs = 1_000

/**
 * Calls `listener` at the first signal of each kind; a second one ends the process at once. Returns a function that
 * unsubscribes.
 */
export function onSignals(listener: () => void): () => void {
  for (const signal of signals) process.once(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/** Exits after a grace period, even if open handles such as connection pools would keep the process alive. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), graceMs).unref()
}
