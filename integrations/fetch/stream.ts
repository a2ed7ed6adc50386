/** An answer in pieces as a web stream: a piece is asked for when the reader wants one, so a slow reader is waited for. */

import type { Pieces } from '../../src/adapter.js'

export interface StreamOptions {
  /** Called once: `true` at the end of the pieces, `false` when the reader stops before it. */
  readonly onEnd: (complete: boolean) => void
  /** Where nothing comes for so long, a filler goes out, by which the runtime finds out whether anybody still reads. Default: none. */
  readonly probeMs?: number | undefined
}

export function toStream(pieces: Pieces, { onEnd, probeMs }: StreamOptions): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let coming: Promise<IteratorResult<string>> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        coming ??= iterator.next()
        const next = probeMs === undefined ? await coming : await within(coming, probeMs)
        if (next === undefined) return controller.enqueue(encoder.encode(pieces.filler))
        coming = undefined
        if (next.done !== true) return controller.enqueue(encoder.encode(next.value))
        controller.close()
        onEnd(true)
      },
      cancel() {
        onEnd(false)
        // Not waited for: it comes after the piece that is still being waited for.
        void iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** `undefined`: it takes longer. */
async function within<T>(coming: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([coming, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
