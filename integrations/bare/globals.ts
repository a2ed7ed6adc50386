/**
 * Defines the web globals that the core uses and Bare lacks. Existing ones are kept. Import this module before the
 * core.
 */

import { randomFillSync } from 'bare-crypto'
import { BareAbortController, BareAbortSignal } from './abort.js'
import { BareTextDecoder, BareTextEncoder } from './encoding.js'

let elapsed = 0
let lastRead = Date.now()

/** Returns elapsed milliseconds. Bare has only the time of day, so this pauses when that clock is set back. */
function elapsedMs(): number {
  const now = Date.now()
  elapsed += Math.max(0, now - lastRead)
  lastRead = now
  return elapsed
}

const missingGlobals: Readonly<Record<string, unknown>> = {
  AbortController: BareAbortController,
  AbortSignal: BareAbortSignal,
  TextDecoder: BareTextDecoder,
  TextEncoder: BareTextEncoder,
  crypto: { getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes) },
  performance: { now: elapsedMs },
}

for (const [name, value] of Object.entries(missingGlobals)) {
  if (name in globalThis) continue
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
}
