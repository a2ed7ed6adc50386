/** Converts a streamed body to a web stream. Pulls each piece when the reader wants it, which respects backpressure. */

import type { Pieces } from '../../src/adapter.js'

export interface StreamOptions {
  /** Called once: `true` at the end of the pieces, `false` if the reader stops earlier. */
  readonly onEnd: (complete: boolean) => void
  /**
   * Interval after which a filler is sent if there's no piece, so that the runtime notices a disconnect. Default:
   * none.
   */
  readonly probeMs?: number | undefined
}

export function toStream(pieces: Pieces, { onEnd, probeMs }: StreamOptions): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let pending: Promise<IteratorResult<string>> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= iterator.next()
        const next = probeMs === undefined ? await pending : await withTimeLimit(pending, probeMs)
        if (next === undefined) return controller.enqueue(encoder.encode(pieces.filler))
        pending = undefined
        if (next.done !== true) return controller.enqueue(encoder.encode(next.value))
        controller.close()
        onEnd(true)
      },
      cancel() {
        onEnd(false)
        // Not awaited: it only resolves after the piece that is still pending.
        void iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Waits for a promise for a limited time. `undefined`: it takes longer. */
async function withTimeLimit<T>(pending: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([pending, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
