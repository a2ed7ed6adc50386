/**
 * Whether the machine that writes a stream still lives: whoever reads along on another one asks from time to time, and
 * the writer answers on the channel of the stream. Nobody asks while nobody reads along.
 */

import type { Store } from '../store/store.js'

/** What a writer answers with. */
export const lives = 'lives'

/** How often a reader asks, at most. */
const askMs = 15_000

export interface StreamLifeParts {
  readonly store: Store
  /** Asks every machine. Rejects where the store fails. */
  readonly ask: (session: string, stream: string) => Promise<void>
  /** A writer that says nothing for so long is taken for dead. */
  readonly silentMs: number
}

export class StreamLife {
  readonly #parts: StreamLifeParts
  readonly #written = new Set<string>()

  constructor(parts: StreamLifeParts) {
    this.#parts = parts
  }

  /** This machine writes it from now on, */
  enter(stream: string): void {
    this.#written.add(stream)
  }

  /** until now. */
  leave(stream: string): void {
    this.#written.delete(stream)
  }

  /** Somebody asks. Never rejects. */
  async hear(stream: string, channel: string): Promise<void> {
    // Where the store fails, the reader asks again.
    if (this.#written.has(stream)) await this.#parts.store.publish(channel, lives).catch(nothing)
  }

  /** Calls `onDead` once its writer is taken for dead. */
  watch(session: string, stream: string, onDead: () => void): Watched {
    const { ask, silentMs } = this.#parts
    const everyMs = Math.min(askMs, silentMs / 3)
    const most = Math.ceil(silentMs / everyMs)
    // Counted, not timed: a reader that stood still itself has not asked meanwhile.
    let unanswered = 0
    const seen = (): void => {
      unanswered = 0
    }
    const look = (): void => {
      if (unanswered < most) {
        unanswered += 1
        // A store that is away says nothing of the writer.
        ask(session, stream).catch(seen)
        return
      }
      clearInterval(timer)
      onDead()
    }
    const timer = setInterval(look, everyMs)
    return { seen, stop: () => clearInterval(timer) }
  }
}

export interface Watched {
  /** The writer said something. */
  seen(): void
  stop(): void
}

function nothing(): void {}
