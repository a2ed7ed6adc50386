/** Looks by those who wait for a message: what the store has kept may never have been published. */

const everyMs = 5_000

/** Calls `look` from time to time, until the function that it returns is called. A look that rejects found nothing. */
export function lookRegularly(look: () => unknown): () => void {
  const timer = setInterval(() => void Promise.resolve(look()).catch(nothing), everyMs)
  // Nobody waits for it: where timers hold a process, this one does not.
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearInterval(timer)
}

const nothing = (): void => {}
