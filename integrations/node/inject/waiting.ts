/** Whether somebody still waits for the answer to an inner request. */

import type { InnerRequest } from '../../../src/adapter.js'

type Waiting = NonNullable<InnerRequest['waiting']>

/** What the caller gave, else what its signal says: to ask for that is to make one. */
export function waitingFor(request: InnerRequest): Waiting {
  return request.waiting ?? waitingOn(request.signal)
}

function waitingOn(signal: AbortSignal): Waiting {
  return {
    assertOpen: () => signal.throwIfAborted(),
    onEnd(listener) {
      const onAbort = (): void => listener(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      return () => signal.removeEventListener('abort', onAbort)
    },
  }
}
