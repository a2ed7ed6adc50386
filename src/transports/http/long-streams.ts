/** The streams of one mount that stay open: how many there are, and what each of them costs when it ends. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import { PerCaller } from '../../sessions/per-caller.js'
import { covers, type Permission } from '../auth/permission.js'
import type { BodyStream } from './body-stream.js'
import { EventStream, type KeepAlive } from './sse.js'

export interface StreamLimits {
  /** Of one mount. */
  readonly maxStreams: number
  readonly maxStreamsPerCaller: number
}

interface Limit {
  readonly permission: Permission
  readonly stop: () => void
}

export class LongStreams {
  readonly #core: Core
  readonly #keepAlive: KeepAlive
  readonly #limits: StreamLimits
  readonly #perCaller: PerCaller
  #taken = 0
  /** A timer of its own for each: some platforms let only the request that opened a stream end it. */
  readonly #ends = new Map<BodyStream, Limit>()

  constructor(core: Core, keepAlive: KeepAlive, limits: StreamLimits) {
    this.#core = core
    this.#keepAlive = keepAlive
    this.#limits = limits
    this.#perCaller = new PerCaller(limits.maxStreamsPerCaller)
  }

  /** Takes a place, for `open`. Throws 503 or 429 when there is none: each stream holds a connection and memory. */
  reserve(caller: string | undefined): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits
    if (this.#taken >= maxStreams) throw tooMany(503, `at most ${maxStreams}`)
    if (!this.#perCaller.acquire(caller))
      throw tooMany(429, `at most ${maxStreamsPerCaller} of one caller (\`maxStreamsPerCaller\`)`)
    this.#taken += 1
  }

  /** A stream in the place that was reserved for this caller; it gives the place back when it ends. */
  open(caller: string | undefined): EventStream {
    const stream = new EventStream()
    stream.caller = caller
    this.#keepAlive.add(stream)
    this.#core.counts.streams += 1
    // One listener for all streams: there may be many.
    stream.onEnd(this.#onEnd)
    return stream
  }

  /** Ends a stream when the permission ends that it rests on. Takes the place of the one that was given before. */
  limit(stream: EventStream, permission: Permission, end: () => void = () => stream.end()): void {
    this.#unlimit(stream)
    if (!permission.canEnd || stream.ended) return
    const stop = permission.watch({ check: () => permission.isStillValid(), end })
    this.#ends.set(stream, { permission, stop })
  }

  /** The same where it lasts longer than the one before and allows no less: what the stream tells was chosen by that. */
  extend(stream: EventStream, permission: Permission): void {
    const before = this.#ends.get(stream)?.permission
    if (before === undefined) return
    const { expiresAt = Number.POSITIVE_INFINITY } = permission
    const isLonger = expiresAt >= (before.expiresAt ?? Number.POSITIVE_INFINITY)
    if (isLonger && covers(permission, before)) this.limit(stream, permission)
  }

  #unlimit(stream: BodyStream): void {
    if (this.#ends.size === 0) return
    this.#ends.get(stream)?.stop()
    this.#ends.delete(stream)
  }

  readonly #onEnd = (stream: BodyStream): void => {
    this.#keepAlive.delete(stream)
    this.#unlimit(stream)
    this.#core.counts.streams -= 1
    this.#taken -= 1
    this.#perCaller.release((stream as EventStream).caller)
  }
}

function tooMany(status: number, expected: string): McpError {
  return refusal(ErrorCode.InternalError, `Too many open streams: ${expected}; try again later`, {
    status,
    headers: { 'Retry-After': '5' },
  })
}
