/** One request while it is served: who asks, in which revision, how to notify them, and whether they still wait. */

import { Interrupted } from '../errors/classify-error.js'
import { brandOf, mark } from '../errors/errors.js'
import type { Envelope } from '../protocol/envelope.js'
import type { ClientInfo, Identity } from '../protocol/identity.js'
import type { Revision } from '../protocol/revisions.js'
import type { JsonRpcRequest, Params } from '../protocol/types.js'
import { scopeOf } from '../sessions/sessions.js'
import { Deadlines, type OnTimeout } from '../support/deadlines.js'
import { isThenable, whenReady } from '../support/maybe-promise.js'
import { removeItem } from '../support/values.js'
import type {
  AttachedClientRequests,
  AttachedNotifications,
  AttachedTask,
  MethodInfo,
} from './attachments.js'
import type { Peer } from './peer.js'
import type { RequestServices } from './services.js'

/** Nobody waits for the answer: it was cancelled, or the connection is gone. */
export class RequestCancelled extends Error {
  override readonly name: string = 'AbortError'

  constructor(message: string) {
    super(message)
    mark(this, 'abandoned')
  }
}

/** `Services` and `M`: what the reader needs of the router and of the method. */
export class Exchange<Services extends RequestServices = RequestServices, M extends MethodInfo = MethodInfo> {
  readonly services: Services
  readonly peer: Peer
  readonly request: JsonRpcRequest
  readonly params: Params
  readonly revision: Revision
  readonly client: ClientInfo | undefined
  readonly sessionId: string | undefined
  readonly envelope: Envelope
  /** What became of it, when something failed: for `onActivity`. */
  failed: 'refusal' | 'fault' | undefined
  /** What was thrown, where that was a fault: for tracers. */
  fault: unknown
  /** Set once the host was asked. */
  identity: Identity | undefined
  /** Set once the call asked its client, or brought answers. */
  clientRequests: AttachedClientRequests | undefined
  /** Set once the call told its client something before its answer. */
  notifications: AttachedNotifications | undefined
  /** Set once the call was answered with a task: it goes on without its client. */
  task: AttachedTask | undefined
  /** Set once a worker has the call: what is left of this run counts for nothing. */
  handedOver: Error | undefined
  /** `undefined`: one that is not known. */
  method: M | undefined
  /** False where the protocol has no questions: in lists and completion. */
  allowsClientRequests = false
  stopListening: () => void = nothing
  /** Kept by those that run. */
  inFlightIndex = -1
  #controller: AbortController | undefined
  #ended: Error | undefined
  #over = false
  /** Made when first needed: most handlers are done at once. */
  #deadlines: Deadlines | undefined
  /** Told when the call is over, however it ended. */
  #onOver: ((reason: Error) => void)[] | undefined

  constructor(services: Services, peer: Peer, request: JsonRpcRequest, envelope: Envelope) {
    this.services = services
    this.peer = peer
    this.request = request
    this.params = request.params ?? noParams
    this.revision = envelope.revision
    this.client = envelope.client
    this.sessionId = envelope.sessionId
    this.envelope = envelope
  }

  /** What the client's request ids are unique in. */
  get scope(): string | object | undefined {
    return scopeOf(this.sessionId, this.peer.scope)
  }

  /** Another request of the same caller, made while this one runs. */
  inner(request: JsonRpcRequest): Exchange<Services, M> {
    const inner = new Exchange<Services, M>(this.services, this.peer, request, this.envelope)
    inner.identity = this.identity
    return inner
  }

  /** Asks the host who is calling, and holds a session to its owner. Bound by the router's own time limit. */
  resolveCaller(): Identity | Promise<Identity> {
    if (this.identity !== undefined) return this.identity
    const { timeoutMs } = this.services.registry.defaults
    this.assertOpen()
    return whenReady(
      this.withTimeout('the login of the host', timeoutMs, this.peer.resolveCaller()),
      Exchange.#identified,
      this,
    )
  }

  static #identified(identity: Identity, exchange: Exchange): Identity {
    exchange.envelope.assertOwner?.(identity)
    exchange.identity = identity
    return identity
  }

  /** Whether it belongs to a session, whose owner must be checked before anything runs. */
  get isOwned(): boolean {
    return this.envelope.assertOwner !== undefined
  }

  /** Whether this is why nobody waits for the answer any more; another exchange's reason is an error like any other. */
  isCancelledBy(error: unknown): boolean {
    return error === this.#ended && brandOf(error) === 'abandoned'
  }

  /** Why nothing counts that this run still does; `undefined`: everything counts. */
  get signalled(): Error | undefined {
    return this.handedOver ?? this.clientRequests?.signal
  }

  /** Throws where another process runs it now. */
  assertHere(): void {
    if (this.handedOver !== undefined) throw this.handedOver
  }

  /** Whether this is why the run ended: its question is with the client. */
  isSuspendedBy(error: unknown): boolean {
    return error !== undefined && error === this.clientRequests?.signal
  }

  /** Whether a call in process asked the code that made it, whose own run ends by that: its client is being asked. */
  asksOutside(error: unknown): boolean {
    return this.peer.ask !== undefined && brandOf(error) === 'input-required'
  }

  /** What must go through every catch: nobody waits any more, or a client is being asked. */
  isEnding(error: unknown): boolean {
    const handedOver = error !== undefined && error === this.handedOver
    return handedOver || this.isCancelledBy(error) || this.isSuspendedBy(error) || this.asksOutside(error)
  }

  /** Made when first asked for: most handlers never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#ended !== undefined) this.#controller.abort(this.#ended)
    }
    return this.#controller.signal
  }

  /** From now on the call ends with its connection, until `stopListening`. */
  cancelOnDisconnect(): void {
    this.stopListening = this.peer.onDisconnect(() =>
      this.abort(new RequestCancelled('nobody waits for the answer')),
    )
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
    this.#deadlines?.interrupt(reason)
    this.#notifyEnd(reason)
  }

  /** Nothing is sent for this request any more. */
  finish(): void {
    this.#over = true
    if (this.#ended !== undefined) this.#controller?.abort(this.#ended)
    // An error for nobody would still take down its stack.
    if (this.#onOver !== undefined && this.#onOver.length > 0) this.#notifyEnd(new Error('the call is over'))
  }

  /** Nobody waits for its answer any more, or it was given. */
  get isOver(): boolean {
    return this.#over || this.#ended !== undefined
  }

  /** Throws where nobody waits any more: what has not begun need not begin. */
  assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Calls `listener` when the call ends, with an answer or without one; returns a way to stop listening. */
  onEnd(listener: (reason: Error) => void): () => void {
    if (this.isOver) listener(this.#ended ?? new Error('the call is over'))
    const listeners = this.#onOver ?? []
    this.#onOver = listeners
    listeners.push(listener)
    return () => removeItem(listeners, listener)
  }

  #notifyEnd(reason: Error): void {
    for (const listener of [...(this.#onOver ?? [])]) listener(reason)
  }

  /** The time limit does not count what the client takes to answer. Returns a way to let it go on. */
  pauseClock(): () => void {
    this.#deadlines ??= new Deadlines()
    return this.#deadlines.pauseClock()
  }

  /**
   * Waits for `value`, but no longer than `timeoutMs` (0: no limit) and no longer than somebody waits: throws, or rejects,
   * where nobody does. A time-out ends the whole exchange; what a handler does after that is dropped.
   */
  withTimeout<T>(owner: string, timeoutMs: number, value: T | PromiseLike<T>): T | Promise<T> {
    if (isThenable(value)) return this.#wait(value, timeoutMs, () => this.abort(late(owner, timeoutMs)))
    this.assertOpen()
    return value
  }

  /** As `withTimeout`, but a time-out ends this wait only: for one of several that run at once. */
  withOwnTimeout<T>(owner: string, timeoutMs: number, value: T | PromiseLike<T>): T | Promise<T> {
    if (isThenable(value))
      return this.#wait(value, timeoutMs, (interrupt) => interrupt(late(owner, timeoutMs)))
    this.assertOpen()
    return value
  }

  #wait<T>(value: PromiseLike<T>, timeoutMs: number, onLate: OnTimeout): Promise<T> {
    this.#deadlines ??= new Deadlines()
    // The handler itself may have ended the call before it returned.
    return this.#deadlines.add(value, { timeoutMs, onTimeout: onLate, ended: this.#ended })
  }
}

function late(owner: string, timeoutMs: number): Interrupted {
  return new Interrupted('TimeoutError', `${owner} did not answer within ${timeoutMs} ms`)
}

const nothing = (): void => {}

const noParams: Params = Object.freeze({})

/** What a request names: a tool, a prompt or a URI. */
export function nameOf({ params, method }: Exchange): string | undefined {
  // A client may add other parameters.
  const name = method?.nameKey === undefined ? undefined : params[method.nameKey]
  return typeof name === 'string' ? name : undefined
}
