/** Runtimes that hear of a client that left only when they write to it. */

/** A handler is to hear of it within a second. */
const everyMs = 750
const soonMs = 200

/**
 * How often an answer that has begun must be tried: workerd tells of a connection that was closed, and not reset, with the
 * next write. Only while a call runs: what else streams can wait for the comments that all streams have. `undefined`: never.
 */
export function probeMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? everyMs : undefined
}

/** How long a handler may run before its answer begins. `undefined`: until the answer is known. */
export function beginAfterMsFor(request: Request): number | undefined {
  return isCallOnWorkers(request) ? soonMs : undefined
}

function isCallOnWorkers({ method, headers }: Request): boolean {
  const { navigator } = globalThis as { navigator?: { readonly userAgent?: string } }
  if (navigator?.userAgent !== 'Cloudflare-Workers' || method !== 'POST') return false
  return headers.get('mcp-method') !== 'subscriptions/listen'
}
