/** The globals of the web that the core uses and Bare lacks. What is there already stays. Import it before the core. */

import { randomFillSync } from 'bare-crypto'
import { BareAbortController, BareAbortSignal } from './abort.js'
import { BareTextDecoder, BareTextEncoder } from './encoding.js'

const lacking: Readonly<Record<string, unknown>> = {
  AbortController: BareAbortController,
  AbortSignal: BareAbortSignal,
  TextDecoder: BareTextDecoder,
  TextEncoder: BareTextEncoder,
  crypto: { getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes) },
  performance: { now: () => Date.now() },
}

for (const [name, value] of Object.entries(lacking)) {
  if (name in globalThis) continue
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
}
