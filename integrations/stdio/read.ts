/** A readable stream as the bytes of a connection, read no faster than they are served. */

import type { Readable } from 'node:stream'
import type { LineFeed } from '../../src/adapter.js'

/** Calls `onEnd` once, when no more can come. Returns a way to stop. */
export function read(input: Readable, feed: LineFeed, onEnd: () => void): () => void {
  let stopped = false
  const encoder = new TextEncoder()
  /** One piece after the other, and the end after all of them. */
  let last: Promise<void> = Promise.resolve()
  const leave = (): void => void input.off('data', onData).off('end', onLast).off('close', onLast).pause()
  const onData = (piece: Uint8Array | string): void => {
    input.pause()
    last = last
      .then(() =>
        stopped ? undefined : feed.push(typeof piece === 'string' ? encoder.encode(piece) : piece),
      )
      .then(() => void (stopped || input.resume()))
  }
  const onLast = (): void => {
    leave()
    void last.then(() => {
      if (stopped) return
      feed.end()
      onEnd()
    })
  }
  // What cannot be read ends, as what was closed does.
  input.once('error', onLast).on('error', nothing)
  input.on('data', onData).on('end', onLast).on('close', onLast).resume()
  if (input.readableEnded || input.destroyed) onLast()
  return () => {
    stopped = true
    leave()
  }
}

function nothing(): void {}
