/** Tells whether the caller still waits for the response to an inner request. */

import type { InnerRequest } from '../../../src/adapter.js'

type Waiting = NonNullable<InnerRequest['waiting']>

/** Returns the caller's own `waiting`, else one based on its signal. Reading `signal` creates it, so it's read last. */
export function waitingFor(request: InnerRequest): Waiting {
  return request.waiting ?? waitingOnSignal(request.signal)
}

function waitingOnSignal(signal: AbortSignal): Waiting {
  return {
    assertOpen: () => signal.throwIfAborted(),
    onEnd(listener) {
      const onAbort = (): void => listener(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      return () => signal.removeEventListener('abort', onAbort)
    },
  }
}
