/** The requests of one call to its client. The handler is the same for both eras; the era decides how requests travel. */

import { runtime } from '#runtime'
import type { Elicited } from '../definitions/context.js'
import { ErrorCode, refusal, ToolError } from '../errors/errors.js'
import { invalidParams } from '../protocol/params.js'
import type { CreateMessageResult } from '../protocol/sampling.js'
import type { Result, Root } from '../protocol/types.js'
import { toBase64Url } from '../support/base64.js'
import { describe } from '../support/values.js'
import { assertCapable, type ClientRequest, type InputRequest } from './client-request.js'
import { confirmation, type ElicitOptions, elicitation, ownKeys } from './elicitation.js'
import { type InputRequired, RoundTrips } from './input-required.js'
import { once } from './once.js'
import { RequestKeys, type RequestState } from './request-state.js'
import { roots, type SampleOptions, sampling } from './sampling.js'
import { sendServerRequest } from './server-request.js'
import type { CallExchange } from './services.js'

/** Created when a call makes its first request, or arrives with answers. */
export class ClientRequests {
  readonly #exchange: CallExchange
  /** For 2026-07-28 clients. In-process callers answer directly. */
  readonly #roundTrips: RoundTrips | undefined
  readonly #names = new RequestKeys()
  readonly #ownId: string
  /** Set when no other run of the same call can be in progress. */
  readonly #alone: string | undefined
  /** The store key of the confirmation that this run uses. */
  #claimed: string | undefined
  #swallowed = false

  /** `earlier`: the state of earlier rounds, if another process began the call. */
  constructor(exchange: CallExchange, earlier?: RequestState) {
    this.#exchange = exchange
    this.#alone = earlier && toBase64Url(runtime.random(9))
    this.#ownId = earlier?.id ?? toBase64Url(runtime.random(18))
    const rounds = exchange.revision.era === 'modern' && exchange.peer.ask === undefined
    this.#roundTrips = rounds ? new RoundTrips(exchange, this.#names, earlier) : undefined
  }

  /** The state of the rounds so far, for a run in another process. */
  get rounds(): RequestState {
    return this.#roundTrips?.rounds ?? { id: this.#ownId, answers: {}, bound: [] }
  }

  /** Reads the client's answers of earlier rounds. Throws -32602. */
  async resume(): Promise<void> {
    await this.#roundTrips?.resume()
  }

  elicit(options: ElicitOptions): Promise<Elicited<unknown>> {
    return this.#ask(() => elicitation(this.#exchange.services, options))
  }

  sample(options: SampleOptions): Promise<CreateMessageResult> {
    return this.#ask(() => sampling(options))
  }

  roots(options?: { readonly key?: string | undefined }): Promise<Root[]> {
    return this.#ask(() => roots(options))
  }

  /** Runs `work` once, however often the client's answers make the handler run. */
  async once<T>(key: string, work: () => T | PromiseLike<T>): Promise<T> {
    if (typeof key !== 'string') throw new TypeError(`once(): expected a key, got ${describe(key)}`)
    if (typeof work !== 'function') throw new TypeError(`once(): expected a function, got ${describe(work)}`)
    const { store, stateTtlMs, taskDefaults } = this.#exchange.services
    const exchange = this.#exchange
    const whenOver = (listener: (reason: Error) => void): (() => void) => exchange.onEnd(listener)
    // A task is run again as long as it is kept.
    const ttlMs = exchange.task === undefined ? stateTtlMs : Math.max(stateTtlMs, taskDefaults.ttlMs)
    return once({ store, key: `once:${this.#id}:${key}`, ttlMs, whenOver, alone: this.#alone }, work)
  }

  /** Asks the user to confirm the run. Each confirmation is valid once. Throws `ToolError` when the user declines. */
  async confirm(owner: string, input: unknown): Promise<void> {
    const { action } = await this.#ask(() => confirmation(owner, input))
    if (action !== 'accept') throw new ToolError(`The user did not confirm ${owner}; it was not run`)
    if (this.#roundTrips === undefined) return
    const { store, stateTtlMs } = this.#exchange.services
    const key = `confirmed:${this.#id}`
    if ((await store.claim(key, 'used', stateTtlMs)) !== undefined)
      throw invalidParams('this confirmation was used already; call again without requestState')
    this.#claimed = key
  }

  /** Set once the call is answered with `input_required`; the handler's later return value is ignored. */
  get signal(): InputRequired | undefined {
    return this.#roundTrips?.signal
  }

  /** Sends requests that the handler made without awaiting them. */
  conclude(): void {
    this.#roundTrips?.suspend()
  }

  /** Warns, once per handler, that it caught the signal of a pending request and went on. Its return value is dropped. */
  noteSwallowed(owner: string): void {
    if (this.#swallowed) return
    this.#swallowed = true
    this.#exchange.services.log.warn(
      `${owner} caught InputRequired and went on: its answer is dropped, and it runs again when the client has answered; let InputRequired through`,
    )
  }

  /** Returns the `input_required` result. */
  async result(): Promise<Result> {
    // This run hasn't used its confirmation.
    if (this.#claimed !== undefined) await this.#exchange.services.store.delete(this.#claimed)
    return (this.#roundTrips as RoundTrips).result()
  }

  get #id(): string {
    return this.#roundTrips?.id ?? this.#ownId
  }

  #ask<T>(make: () => ClientRequest<T>): Promise<T> {
    const answer = this.#travel(make)
    // Prevents an unhandled rejection when the handler doesn't await its request.
    answer.catch(nothing)
    return answer
  }

  async #travel<T>(make: () => ClientRequest<T>): Promise<T> {
    const question = make()
    const { method, key, bound = false } = question
    if (!bound && key?.startsWith(ownKeys)) {
      throw new TypeError(
        `expected a key that does not begin with ${ownKeys}, got ${describe(key)}; take another one`,
      )
    }
    this.#assertCanAsk(question)
    const params = question.params(this.#exchange.revision, this.#exchange.client?.capabilities ?? {})
    const request: InputRequest = { method, ...(params !== undefined && { params }) }
    const { task } = this.#exchange
    if (task !== undefined) {
      const name = key ?? this.#names.nameOf(request)
      return question.read(this.#roundTrips?.recall(name) ?? (await task.request(name, request)))
    }
    const carry = this.#roundTrips?.ask(request, { key, bound }) ?? this.#askNow(request)
    return question.read(await carry)
  }

  /** Waits for the client's answer and pauses the call's time limit meanwhile. */
  async #askNow(request: InputRequest): Promise<unknown> {
    const exchange = this.#exchange
    const goOn = exchange.pauseClock()
    try {
      if (exchange.peer.ask !== undefined) return await exchange.peer.ask(request)
      return await sendServerRequest(exchange, request, exchange.services.inputTimeoutMs)
    } finally {
      goOn()
    }
  }

  #assertCanAsk({ method, needs }: ClientRequest<unknown>): void {
    if (this.#exchange.isOver && this.#exchange.task === undefined) {
      throw refusal(ErrorCode.InvalidRequest, `${method} was asked after the call was over`)
    }
    this.#exchange.assertOpen()
    if (!this.#exchange.allowsClientRequests) {
      throw refusal(ErrorCode.InvalidRequest, `${method} cannot be asked in ${this.#exchange.request.method}`)
    }
    assertCapable(this.#exchange, method, needs)
  }
}

const nothing = (): void => {}
