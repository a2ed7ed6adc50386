/** A readable stream as the bytes of a connection, read no faster than they are served. */

import type { Readable } from 'node:stream'
import type { LineFeed } from '../../src/adapter.js'

/** Calls `onEnd` once, when no more can come. Returns a way to stop. */
export function read(input: Readable, feed: LineFeed, onEnd: () => void): () => void {
  let stopped = false
  const encoder = new TextEncoder()
  /** What is being taken: nothing is read meanwhile, and the end comes after it. */
  let taking: Promise<void> | undefined
  const leave = (): void => void input.off('data', onData).off('end', onLast).off('close', onLast).pause()
  const onData = (piece: Uint8Array | string): void => {
    const pushed = feed.push(typeof piece === 'string' ? encoder.encode(piece) : piece)
    if (pushed === undefined) return
    input.pause()
    taking = pushed.then(() => {
      taking = undefined
      if (!stopped) input.resume()
    })
  }
  const onLast = (): void => {
    leave()
    if (taking === undefined) finish()
    else void taking.then(finish)
  }
  const finish = (): void => {
    if (stopped) return
    feed.end()
    onEnd()
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
