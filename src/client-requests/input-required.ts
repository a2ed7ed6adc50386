/**
 * Requests to 2026-07-28 clients (specification, Multi-round-trip requests): the call ends with `input_required`, the
 * client calls again with the answers, and the handler's requests find them by key.
 */

import { runtime } from '#runtime'
import { mark } from '../errors/errors.js'
import { invalidParams } from '../protocol/params.js'
import type { Params, Result } from '../protocol/types.js'
import type { Exchange } from '../request/exchange.js'
import { toBase64Url } from '../support/base64.js'
import { describe, isObject } from '../support/values.js'
import { duplicateKey, type InputRequest } from './client-request.js'
import { openState, type RequestKeys, type RequestState, sealState } from './request-state.js'

/**
 * Ends the run of a handler whose request went to the client. Don't catch it: the client calls again and the handler
 * runs from the start.
 */
export class InputRequired extends Error {
  override readonly name: string = 'InputRequired'

  constructor() {
    super('the client is being asked; the call runs again with its answer')
    mark(this, 'input-required')
  }
}

export class RoundTrips {
  readonly #exchange: Exchange
  readonly #given: Readonly<Record<string, unknown>>
  /** The answers that this run used. They're part of the next state. */
  readonly #used: Record<string, unknown> = Object.create(null)
  readonly #names: RequestKeys
  readonly #pending = new Map<string, InputRequest>()
  readonly #rejects: ((signal: InputRequired) => void)[] = []
  /** Keys of requests that can't be answered in advance. */
  readonly #bound = new Set<string>()
  #earlier: RequestState | undefined
  #signal: InputRequired | undefined

  constructor(exchange: Exchange, names: RequestKeys, earlier?: RequestState) {
    this.#exchange = exchange
    this.#names = names
    this.#earlier = earlier
    this.#given = readResponses(exchange.params)
  }

  /** Reads the client's answers. Throws -32602. */
  async resume(): Promise<void> {
    const { requestState } = this.#exchange.params
    if (requestState !== undefined) this.#earlier = await openState(this.#exchange, requestState)
  }

  /** The id of this multi-round call in the store. */
  get id(): string {
    this.#earlier ??= { id: toBase64Url(runtime.random(18)), answers: {}, bound: [] }
    return this.#earlier.id
  }

  /** Set once the call's result is decided. */
  get signal(): InputRequired | undefined {
    return this.#signal
  }

  /** Resolves to the client's answer. Rejects with `InputRequired` if there is none yet. */
  ask(
    request: InputRequest,
    { key, bound }: { readonly key: string | undefined; readonly bound: boolean },
  ): Promise<unknown> {
    const name = key ?? this.#names.nameOf(request)
    const counts = !bound || this.#earlier?.bound.includes(name) === true
    const recorded = counts ? this.#recorded(name) : undefined
    if (recorded !== undefined) {
      this.#used[name] = recorded
      return Promise.resolve(recorded)
    }
    if (this.#signal !== undefined) return Promise.reject(this.#signal)
    if (this.#pending.has(name)) throw duplicateKey(name)
    // Requests of the same turn of the event loop are sent together.
    if (this.#pending.size === 0) setTimeout(() => this.suspend(), 0)
    this.#pending.set(name, request)
    if (bound) this.#bound.add(name)
    return new Promise((_, reject) => this.#rejects.push(reject))
  }

  /** Returns a value recorded in an earlier round, for a handler that became a task. */
  recall(name: string): unknown {
    return this.#recorded(name)
  }

  /** The state of the rounds so far, for a run in another process. */
  get rounds(): RequestState {
    return { id: this.id, answers: { ...this.#given, ...this.#earlier?.answers }, bound: [] }
  }

  /** Decides the call's result, if any request is pending. */
  suspend(): void {
    if (this.#signal !== undefined || this.#pending.size === 0) return
    this.#signal = new InputRequired()
    for (const reject of this.#rejects) reject(this.#signal)
  }

  /** The `input_required` result. */
  async result(): Promise<Result> {
    const answers = { ...this.#earlier?.answers, ...this.#used }
    const bound = [...new Set([...(this.#earlier?.bound ?? []), ...this.#bound])]
    const rounds = { id: this.id, answers, bound }
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(this.#pending),
      requestState: await sealState(this.#exchange, rounds),
    }
  }

  /** Returns the answer recorded in an earlier round, which never changes. */
  #recorded(name: string): unknown {
    const answers = this.#earlier?.answers
    if (answers !== undefined && Object.hasOwn(answers, name)) return answers[name]
    return Object.hasOwn(this.#given, name) ? this.#given[name] : undefined
  }
}

/** Reads `inputResponses`: objects by key. Unknown keys are ignored. */
function readResponses({ inputResponses }: Params): Readonly<Record<string, unknown>> {
  if (inputResponses === undefined) return {}
  if (!isObject(inputResponses))
    throw invalidParams(`expected inputResponses to be an object, got ${describe(inputResponses)}`)
  for (const [key, answer] of Object.entries(inputResponses)) {
    if (!isObject(answer))
      throw invalidParams(
        `expected inputResponses[${describe(key)}] to be an object, got ${describe(answer)}`,
      )
  }
  return inputResponses
}
