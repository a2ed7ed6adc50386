/** One request while it is served: who asks, in which revision, how to notify them, and whether they still wait. */

import type { ClientInfo, Identity, RequestInfo } from './context.js'
import type { Core } from './core.js'
import { brandOf, mark } from './errors.js'
import { Interrupted } from './failures/failure.js'
import type { Agreement, Envelope } from './protocol/envelope.js'
import { notification } from './protocol/jsonrpc.js'
import { loggingLevels } from './protocol/logging-levels.js'
import type { Headers } from './protocol/mirrors.js'
import type { Revision } from './protocol/revisions.js'
import type { JsonRpcNotification, JsonRpcRequest, LoggingLevel, Params } from './protocol/types.js'
import { longestTimer } from './running.js'
import { isThenable, whenReady } from './thenable.js'

/** Where a message came from, as transports describe it. */
export interface Peer {
  /** Asks the host who is calling, once per message. */
  identify(): Identity | Promise<Identity>
  readonly request: RequestInfo | undefined
  /** What a legacy request relies on; asked for those only. Throws the refusal of a bad session. */
  agree(method: string): Agreement
  /** Details of faults may leave. */
  readonly development: boolean
  /** The connection, where there is one: what the ids of `notifications/cancelled` refer to. A session comes first. */
  readonly scope: object | undefined
  /** `undefined` where there is no header layer. */
  readonly headers: Headers | undefined
  /** Takes notices of the running call. False: they cannot be sent. */
  send(message: JsonRpcNotification): boolean
  /** Calls `listener` when nobody can get the answer any more; returns a way to stop listening. */
  whenGone(listener: () => void): () => void
}

/** Nobody waits for the answer: it was cancelled, or the connection is gone. */
export class Abandoned extends Error {
  override readonly name: string = 'AbortError'

  constructor(message: string) {
    super(message)
    mark(this, 'abandoned')
  }
}

type OnLate = (interrupt: (reason: Error) => void) => void

export class Exchange {
  readonly core: Core
  readonly peer: Peer
  readonly request: JsonRpcRequest
  readonly params: Params
  readonly revision: Revision
  readonly client: ClientInfo | undefined
  readonly sessionId: string | undefined
  readonly #envelope: Envelope
  /** What became of it, when something failed: for `onActivity`. */
  failed: 'refusal' | 'fault' | undefined
  /** Set once the host was asked. */
  identity: Identity | undefined
  #controller: AbortController | undefined
  #ended: Error | undefined
  #over = false
  /** Made when first needed: most handlers are done at once or never interrupted. */
  #interrupts: Set<(reason: Error) => void> | undefined
  #progressed = Number.NEGATIVE_INFINITY
  #started: number | undefined

  constructor(core: Core, peer: Peer, request: JsonRpcRequest, envelope: Envelope) {
    this.core = core
    this.peer = peer
    this.request = request
    this.params = request.params ?? noParams
    this.revision = envelope.revision
    this.client = envelope.client
    this.sessionId = envelope.sessionId
    this.#envelope = envelope
  }

  /** What the client's request ids are unique in. */
  get scope(): string | object | undefined {
    return this.sessionId ?? this.peer.scope
  }

  /** Another request of the same caller, made while this one runs. */
  inner(request: JsonRpcRequest): Exchange {
    const inner = new Exchange(this.core, this.peer, request, this.#envelope)
    inner.identity = this.identity
    return inner
  }

  /** Asks the host who is calling, and holds a session to its owner. Bound by the router's own time limit. */
  identify(): Identity | Promise<Identity> {
    if (this.identity !== undefined) return this.identity
    const { timeoutMs } = this.core.registry.defaults
    return whenReady(
      this.settle('the login of the host', timeoutMs, () => this.peer.identify()),
      (identity) => {
        this.#envelope.assertOwner?.(identity)
        this.identity = identity
        return identity
      },
    )
  }

  /** Whether it belongs to a session, whose owner must be checked before anything runs. */
  get isOwned(): boolean {
    return this.#envelope.assertOwner !== undefined
  }

  /** Whether this is why nobody waits for the answer any more; another exchange's reason is an error like any other. */
  abandonedBy(error: unknown): boolean {
    return error === this.#ended && brandOf(error) === 'abandoned'
  }

  /** Made when first asked for: most handlers never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#ended !== undefined) this.#controller.abort(this.#ended)
    }
    return this.#controller.signal
  }

  /** Ends the wait for the handler; the first reason counts. */
  abort(reason: Error): void {
    if (this.#ended !== undefined || this.#over) return
    this.#ended = reason
    try {
      this.#controller?.abort(reason)
    } catch {
      // Workers let only the request that made a signal abort it: `finish` does, once the wait has ended there.
    }
    for (const interrupt of [...(this.#interrupts ?? [])]) interrupt(reason)
  }

  /** Nothing is sent for this request any more. */
  finish(): void {
    this.#over = true
    if (this.#ended !== undefined) this.#controller?.abort(this.#ended)
  }

  /**
   * Waits for `run`, but no longer than `timeoutMs` (0: no limit) and no longer than somebody waits.
   * A time-out ends the whole exchange; what a handler does after that is dropped.
   */
  settle<T>(owner: string, timeoutMs: number, run: () => T | PromiseLike<T>): T | Promise<T> {
    return this.#begin(run, timeoutMs, () => this.abort(late(owner, timeoutMs)))
  }

  /** As `settle`, but a time-out ends this wait only: for one of several that run at once. */
  settleOne<T>(owner: string, timeoutMs: number, run: () => T | PromiseLike<T>): T | Promise<T> {
    return this.#begin(run, timeoutMs, (interrupt) => interrupt(late(owner, timeoutMs)))
  }

  #begin<T>(run: () => T | PromiseLike<T>, timeoutMs: number, onLate: OnLate): T | Promise<T> {
    if (this.#ended !== undefined) throw this.#ended
    const value = run()
    return isThenable(value) ? this.#race(value, timeoutMs, onLate) : value
  }

  #race<T>(value: PromiseLike<T>, timeoutMs: number, onLate: OnLate): Promise<T> {
    // One clock for all steps of an exchange: it starts with the first that takes time.
    this.#started ??= performance.now()
    const left = Math.max(0, timeoutMs - (performance.now() - this.#started))
    return new Promise((resolve, reject) => {
      const interrupt = (reason: Error): void => {
        leave()
        reject(reason)
      }
      const timer = timeoutMs > 0 ? setTimeout(onLate, Math.min(left, longestTimer), interrupt) : undefined
      const leave = (): void => {
        clearTimeout(timer)
        this.#interrupts?.delete(interrupt)
      }
      this.#interrupts ??= new Set()
      this.#interrupts.add(interrupt)
      // The handler itself may have ended the call before it returned.
      if (this.#ended !== undefined) interrupt(this.#ended)
      value.then(
        (result) => {
          leave()
          resolve(result)
        },
        (error) => {
          leave()
          reject(error)
        },
      )
    })
  }

  /** Specification, progress: only with the client's token, strictly rising, never after the end. */
  progress(done: number, total?: number, message?: string): boolean {
    const progressToken = this.#envelope.progressToken
    if (progressToken === undefined || !(done > this.#progressed) || !Number.isFinite(done)) return false
    const params: Record<string, unknown> = { progressToken, progress: done }
    if (total !== undefined && Number.isFinite(total)) params.total = total
    if (message !== undefined && this.revision.progressMessage) params.message = message
    const sent = this.#send('notifications/progress', params)
    if (sent) this.#progressed = done
    return sent
  }

  /** Specification, logging: legacy clients get what is at or above their level, modern ones only what they asked for. */
  log(level: LoggingLevel, logger: string, data: unknown): boolean {
    const least = this.#envelope.logLevel
    if (least === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(least)) return false
    return this.#send('notifications/message', { level, logger, data })
  }

  #send(method: string, params: Record<string, unknown>): boolean {
    if (this.#over || this.#ended !== undefined) return false
    try {
      return this.peer.send(notification(method, params))
    } catch {
      return false
    }
  }
}

function late(owner: string, timeoutMs: number): Interrupted {
  return new Interrupted('TimeoutError', `${owner} did not answer within ${timeoutMs} ms`)
}

const noParams: Params = Object.freeze({})

/** What a request names: a tool, a prompt or a URI. */
export function nameOf({ params }: Exchange): string | undefined {
  const name = params.name ?? params.uri
  return typeof name === 'string' ? name : undefined
}
