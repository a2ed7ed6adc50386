/** One request while it is served: its caller, revision, channel to the client, time limit and cancellation. */

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

/** The request was cancelled, or its connection closed. */
export class RequestCancelled extends Error {
  override readonly name: string = 'AbortError'

  constructor(message: string) {
    super(message)
    mark(this, 'abandoned')
  }
}

/** `Services` and `M` are the parts of the router and of the method that the reading code needs. */
export class Exchange<Services extends RequestServices = RequestServices, M extends MethodInfo = MethodInfo> {
  readonly services: Services
  readonly peer: Peer
  readonly request: JsonRpcRequest
  readonly params: Params
  readonly revision: Revision
  readonly client: ClientInfo | undefined
  readonly sessionId: string | undefined
  readonly envelope: Envelope
  /** How the request failed, for `onActivity`. `undefined` when it didn't. */
  failed: 'refusal' | 'fault' | undefined
  /** The error of a fault, for tracers. */
  fault: unknown
  /** Set once the host has identified the caller. */
  identity: Identity | undefined
  /** Set once the call sent a request to its client, or came with answers. */
  clientRequests: AttachedClientRequests | undefined
  /** Set once the call sent a notification. */
  notifications: AttachedNotifications | undefined
  /** Set once the call was answered with a task and continues without its client. */
  task: AttachedTask | undefined
  /** Set once a worker took over the call. The rest of this run is ignored. */
  handedOver: Error | undefined
  /** `undefined` for an unknown method. */
  method: M | undefined
  /** False in lists and completion, where the protocol has no requests to the client. */
  allowsClientRequests = false
  stopListening: () => void = nothing
  /** The place of this exchange in `InFlightRequests`; -1 when it isn't running. */
  inFlightIndex = -1
  #controller: AbortController | undefined
  #ended: Error | undefined
  #over = false
  /** Created on first use, because most handlers finish synchronously. */
  #deadlines: Deadlines | undefined
  /** Called when the call ends, for whatever reason. */
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

  /** The session or connection within which the client's request ids are unique. */
  get scope(): string | object | undefined {
    return scopeOf(this.sessionId, this.peer.scope)
  }

  /** Creates an exchange for another request of the same caller, made while this one runs. */
  inner(request: JsonRpcRequest): Exchange<Services, M> {
    const inner = new Exchange<Services, M>(this.services, this.peer, request, this.envelope)
    inner.identity = this.identity
    return inner
  }

  /** Asks the host for the caller and checks that they own the session. Uses the router's time limit. */
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

  /** Whether the request belongs to a session, whose owner is checked before anything runs. */
  get isOwned(): boolean {
    return this.envelope.assertOwner !== undefined
  }

  /** Whether `error` is the reason this request was cancelled. Another request's reason is an ordinary error. */
  isCancelledBy(error: unknown): boolean {
    return error === this.#ended && brandOf(error) === 'abandoned'
  }

  /** The reason why the rest of this run is ignored; `undefined` while it counts. */
  get signalled(): Error | undefined {
    return this.handedOver ?? this.clientRequests?.signal
  }

  /** Throws if another process took over the call. */
  assertHere(): void {
    if (this.handedOver !== undefined) throw this.handedOver
  }

  /** Whether `error` ended the run because its request to the client is pending. */
  isSuspendedBy(error: unknown): boolean {
    return error !== undefined && error === this.clientRequests?.signal
  }

  /** Whether an in-process call passed its request on to an outer call, which ends with `input_required`. */
  asksOutside(error: unknown): boolean {
    return this.peer.ask !== undefined && brandOf(error) === 'input-required'
  }

  /** Whether every `catch` must rethrow `error`: the request was cancelled, or waits for the client. */
  isEnding(error: unknown): boolean {
    const handedOver = error !== undefined && error === this.handedOver
    return handedOver || this.isCancelledBy(error) || this.isSuspendedBy(error) || this.asksOutside(error)
  }

  /** Created on first use, because most handlers never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#ended !== undefined) this.#controller.abort(this.#ended)
    }
    return this.#controller.signal
  }

  /** Cancels the call when its connection closes, until `finish`. */
  cancelOnDisconnect(): void {
    this.stopListening = this.peer.onDisconnect(() =>
      this.abort(new RequestCancelled('nobody waits for the answer')),
    )
  }

  /** Stops waiting for the handler. The first reason counts. */
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

  /** Marks the request as answered: nothing more is sent for it. */
  finish(): void {
    this.#over = true
    if (this.#ended !== undefined) this.#controller?.abort(this.#ended)
    // Creating an error captures a stack, so skip it when nobody listens.
    if (this.#onOver !== undefined && this.#onOver.length > 0) this.#notifyEnd(new Error('the call is over'))
  }

  /** Whether the request was answered or cancelled. */
  get isOver(): boolean {
    return this.#over || this.#ended !== undefined
  }

  /** Throws if the request was cancelled, so that no further work begins. */
  assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  /** Calls `listener` when the call ends. Returns a function that removes the listener. */
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

  /** Pauses the time limit while the client answers. Returns a function that resumes it. */
  pauseClock(): () => void {
    this.#deadlines ??= new Deadlines()
    return this.#deadlines.pauseClock()
  }

  /**
   * Waits for `value` for at most `timeoutMs` (0: no limit). Throws or rejects when the request is cancelled first. A
   * timeout ends the whole exchange and drops what its handler does afterwards.
   */
  withTimeout<T>(owner: string, timeoutMs: number, value: T | PromiseLike<T>): T | Promise<T> {
    if (isThenable(value)) return this.#wait(value, timeoutMs, () => this.abort(late(owner, timeoutMs)))
    this.assertOpen()
    return value
  }

  /** Like `withTimeout`, but a timeout ends only this wait: for one of several concurrent ones. */
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

/** Returns the tool, prompt or URI that a request names. */
export function nameOf({ params, method }: Exchange): string | undefined {
  // A client may add other parameters.
  const name = method?.nameKey === undefined ? undefined : params[method.nameKey]
  return typeof name === 'string' ? name : undefined
}
