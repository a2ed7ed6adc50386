/** What one call asks its client: the handler writes it once, the era decides how it travels. */

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

/** Made when a call first asks, or brings answers. */
export class ClientRequests {
  readonly #exchange: CallExchange
  /** 2026-07-28 clients, unless the caller in process answers at once. */
  readonly #roundTrips: RoundTrips | undefined
  readonly #names = new RequestKeys()
  readonly #ownId: string
  /** Set where no other run of the same conversation can be under way. */
  readonly #alone: string | undefined
  /** Holds the confirmation that this run uses up. */
  #claimed: string | undefined
  #swallowed = false

  /** `earlier`: what it goes on with that was begun in another process. */
  constructor(exchange: CallExchange, earlier?: RequestState) {
    this.#exchange = exchange
    this.#alone = earlier && toBase64Url(runtime.random(9))
    this.#ownId = earlier?.id ?? toBase64Url(runtime.random(18))
    const rounds = exchange.revision.era === 'modern' && exchange.peer.ask === undefined
    this.#roundTrips = rounds ? new RoundTrips(exchange, this.#names, earlier) : undefined
  }

  /** What a run elsewhere is to know of this one. */
  get rounds(): RequestState {
    return this.#roundTrips?.rounds ?? { id: this.#ownId, answers: {}, bound: [] }
  }

  /** Reads what the client brought back from earlier rounds. Throws -32602. */
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

  /** Asks the user whether to run; one confirmation is good for one run. Throws `ToolError` when they do not want to. */
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

  /** Why nothing that the handler still does counts; `undefined`: everything counts. */
  get signal(): InputRequired | undefined {
    return this.#roundTrips?.signal
  }

  /** The handler is done: what it asked and did not wait for is asked now. */
  conclude(): void {
    this.#roundTrips?.suspend()
  }

  /** The handler went on although its question is with the client: what it returned is dropped, and that is said once. */
  noteSwallowed(owner: string): void {
    if (this.#swallowed) return
    this.#swallowed = true
    this.#exchange.services.log.warn(
      `${owner} caught InputRequired and went on: its answer is dropped, and it runs again when the client has answered; let InputRequired through`,
    )
  }

  /** The answer to a call that asks. */
  async result(): Promise<Result> {
    // The run that ends here did nothing yet that was confirmed.
    if (this.#claimed !== undefined) await this.#exchange.services.store.delete(this.#claimed)
    return (this.#roundTrips as RoundTrips).result()
  }

  get #id(): string {
    return this.#roundTrips?.id ?? this.#ownId
  }

  #ask<T>(make: () => ClientRequest<T>): Promise<T> {
    const answer = this.#travel(make)
    // A handler that does not wait for its question must not end the process.
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

  /** The handler waits while the client thinks, and its clock stands still. */
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
