/** The long-lived streams of one mount: their limits, and their end when the caller's permission ends. */

import { ErrorCode, type McpError, refusal } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import { PerCaller } from '../../sessions/per-caller.js'
import { covers, type Permission } from '../auth/permission.js'
import type { BodyStream } from './body-stream.js'
import { EventStream, type KeepAlive } from './sse.js'

export interface StreamLimits {
  /** Maximum number of streams of one mount. */
  readonly maxStreams: number
  readonly maxStreamsPerCaller: number
}

interface WatchedPermission {
  readonly permission: Permission
  readonly stop: () => void
}

export class LongStreams {
  readonly #core: Core
  readonly #keepAlive: KeepAlive
  readonly #limits: StreamLimits
  readonly #perCaller: PerCaller
  #reserved = 0
  /** The permissions of open streams. Each has its own timer: some platforms only let the opening request end a stream. */
  readonly #permissions = new Map<BodyStream, WatchedPermission>()

  constructor(core: Core, keepAlive: KeepAlive, limits: StreamLimits) {
    this.#core = core
    this.#keepAlive = keepAlive
    this.#limits = limits
    this.#perCaller = new PerCaller(limits.maxStreamsPerCaller)
  }

  /** Reserves a stream for `open`. Throws 503 or 429 if there are too many, since each takes a connection and memory. */
  reserve(caller: string | undefined): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits
    if (this.#reserved >= maxStreams) throw tooManyStreams(503, `at most ${maxStreams}`)
    if (!this.#perCaller.acquire(caller))
      throw tooManyStreams(429, `at most ${maxStreamsPerCaller} of one caller (\`maxStreamsPerCaller\`)`)
    this.#reserved += 1
  }

  /** Opens a reserved stream. The reservation ends with the stream. */
  open(caller: string | undefined): EventStream {
    const stream = new EventStream()
    stream.callerKey = caller
    this.#keepAlive.add(stream)
    this.#core.counts.streams += 1
    // One listener for all streams, to save memory.
    stream.onEnd(this.#onEnd)
    return stream
  }

  /** Ends a stream when `permission` ends. Replaces the stream's earlier permission. */
  limit(stream: EventStream, permission: Permission, end: () => void = () => stream.end()): void {
    this.#removeLimit(stream)
    if (!permission.canEnd || stream.ended) return
    const stop = permission.watch({ check: () => permission.isStillValid(), end })
    this.#permissions.set(stream, { permission, stop })
  }

  /**
   * Replaces a stream's permission if the new one lasts at least as long and has all its scopes. The stream's visibility
   * depends on the scopes of the earlier permission.
   */
  extend(stream: EventStream, permission: Permission): void {
    const before = this.#permissions.get(stream)?.permission
    if (before === undefined) return
    const { expiresAt = Number.POSITIVE_INFINITY } = permission
    const isLonger = expiresAt >= (before.expiresAt ?? Number.POSITIVE_INFINITY)
    if (isLonger && covers(permission, before)) this.limit(stream, permission)
  }

  #removeLimit(stream: BodyStream): void {
    if (this.#permissions.size === 0) return
    this.#permissions.get(stream)?.stop()
    this.#permissions.delete(stream)
  }

  readonly #onEnd = (stream: BodyStream): void => {
    this.#keepAlive.delete(stream)
    this.#removeLimit(stream)
    this.#core.counts.streams -= 1
    this.#reserved -= 1
    this.#perCaller.release((stream as EventStream).callerKey)
  }
}

function tooManyStreams(status: number, expected: string): McpError {
  return refusal(ErrorCode.InternalError, `Too many open streams: ${expected}; try again later`, {
    status,
    headers: { 'Retry-After': '5' },
  })
}
