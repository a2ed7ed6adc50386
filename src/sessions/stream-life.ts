/**
 * Detects whether the machine that writes a stream is still alive. A machine that reads the stream probes regularly, and
 * the writer responds on the stream's channel. Streams without readers on other machines aren't probed.
 */

import type { Store } from '../store/store.js'

/** The writer's response to a probe. */
export const aliveMessage = 'lives'

/** The maximum time between two probes. */
const maxProbeIntervalMs = 15_000

export interface WriterLivenessParts {
  readonly store: Store
  /** Asks every machine whether it writes the stream. Rejects if the store fails. */
  readonly probe: (session: string, stream: string) => Promise<void>
  /** Milliseconds without a response after which a writer counts as dead. */
  readonly writerTimeoutMs: number
}

export class WriterLiveness {
  readonly #parts: WriterLivenessParts
  readonly #writtenStreams = new Set<string>()

  constructor(parts: WriterLivenessParts) {
    this.#parts = parts
  }

  /** Registers a stream that this machine writes. */
  startWriting(stream: string): void {
    this.#writtenStreams.add(stream)
  }

  /** Unregisters a stream that this machine has finished. */
  stopWriting(stream: string): void {
    this.#writtenStreams.delete(stream)
  }

  /** Responds to a probe, if this machine writes the stream. Never rejects. */
  async confirm(stream: string, channel: string): Promise<void> {
    // If the store fails, the reader probes again.
    if (this.#writtenStreams.has(stream))
      await this.#parts.store.publish(channel, aliveMessage).catch(nothing)
  }

  /** Probes a stream's writer regularly and calls `onDead` once if it stops responding. */
  watch(session: string, stream: string, onDead: () => void): LivenessCheck {
    const { probe, writerTimeoutMs } = this.#parts
    const probeIntervalMs = Math.min(maxProbeIntervalMs, writerTimeoutMs / 3)
    const maxUnanswered = Math.ceil(writerTimeoutMs / probeIntervalMs)
    // Counts probes rather than time: if this process was suspended, it sent no probes meanwhile.
    let unanswered = 0
    const markAlive = (): void => {
      unanswered = 0
    }
    const check = (): void => {
      if (unanswered < maxUnanswered) {
        unanswered += 1
        // A failing store doesn't mean that the writer is dead.
        probe(session, stream).catch(markAlive)
        return
      }
      clearInterval(timer)
      onDead()
    }
    const timer = setInterval(check, probeIntervalMs)
    return { markAlive, stop: () => clearInterval(timer) }
  }
}

export interface LivenessCheck {
  /** Call it when the writer has sent anything. */
  markAlive(): void
  stop(): void
}

function nothing(): void {}
