/** The globals of the web that the core uses and Bare lacks. What is there already stays. Import it before the core. */

import { randomFillSync } from 'bare-crypto'
import { BareAbortController, BareAbortSignal } from './abort.js'
import { BareTextDecoder, BareTextEncoder } from './encoding.js'

let passed = 0
let lookedAt = Date.now()

/** Milliseconds by the time of day, the only clock there is; where that is set back, these stand still for a moment. */
function passedMs(): number {
  const now = Date.now()
  passed += Math.max(0, now - lookedAt)
  lookedAt = now
  return passed
}

const lacking: Readonly<Record<string, unknown>> = {
  AbortController: BareAbortController,
  AbortSignal: BareAbortSignal,
  TextDecoder: BareTextDecoder,
  TextEncoder: BareTextEncoder,
  crypto: { getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes) },
  performance: { now: passedMs },
}

for (const [name, value] of Object.entries(lacking)) {
  if (name in globalThis) continue
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
}
