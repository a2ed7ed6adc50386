/** An answer in pieces as a web stream: a piece is asked for when the reader wants one, so a slow reader is waited for. */

/** `onEnd` is called once: `true` at the end of the pieces, `false` when the reader stops before it. */
export function toStream(
  pieces: AsyncIterable<string>,
  onEnd: (complete: boolean) => void,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done !== true) return controller.enqueue(encoder.encode(value))
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
