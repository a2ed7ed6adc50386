/**
 * Answers of legacy clients to requests of the server. Clients post them on another connection, perhaps to another
 * process, so they reach the waiting handler through the store.
 */

import { runtime } from '#runtime'
import { ErrorCode, refusal } from '../errors/errors.js'
import type { PostedAnswer } from '../protocol/jsonrpc.js'
import { poll } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { longestTimer } from '../support/in-flight.js'

/** A sent request with an unguessable id. */
export interface PendingAnswer {
  readonly id: string
  readonly answer: Promise<PostedAnswer>
  /** Stops waiting. A late answer is refused. */
  drop(): void
}

/** How long the store keeps a request after the waiting process has given up. Milliseconds. */
const graceMs = 5_000

export class PostedAnswers {
  readonly #store: Store
  /** Generated names of connections without a session. */
  readonly #connections = new WeakMap<object, string>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Registers a request. `scope`: the session or connection that may answer. The caller calls `drop` after `ttlMs`; if
   * its process dies, the store drops the request a little later.
   */
  async expect(scope: string | object, ttlMs: number): Promise<PendingAnswer> {
    const id = toBase64Url(runtime.random(18))
    const key = this.#key(scope, id)
    let settle: (answer: PostedAnswer) => void
    const answer = new Promise<PostedAnswer>((resolve) => {
      settle = resolve
    })
    const unsubscribe = await this.#store.subscribe(key, (text) => settle(JSON.parse(text) as PostedAnswer))
    const keptMs = Math.min(ttlMs + graceMs, longestTimer)
    await this.#store.set(key, String(keptMs), keptMs)
    const stopLooking = poll(async () => {
      const given = await this.#store.get(givenKey(key))
      if (given !== undefined) settle(JSON.parse(given) as PostedAnswer)
    })
    const drop = (): void => {
      unsubscribe()
      stopLooking()
      // If the store can't be reached, the keys expire on their own.
      for (const one of [key, givenKey(key)]) this.#store.delete(one).catch(nothing)
    }
    return { id, answer, drop }
  }

  /**
   * Delivers an answer. Returns false when no request waits for it, or another answer came first. Throws 503 when the
   * store fails; the client can post the same answer again.
   */
  async deliver(scope: string | object, posted: PostedAnswer): Promise<boolean> {
    if (typeof posted.id !== 'string') return false
    const { id, result, error } = posted
    try {
      return await this.#pass(this.#key(scope, id as string), JSON.stringify({ id, result, error }))
    } catch (cause) {
      const message = 'The answer could not be passed on; send it again'
      const http = { status: 503, headers: { 'Retry-After': '1' } }
      throw Object.assign(refusal(ErrorCode.InternalError, message, http), { cause })
    }
  }

  async #pass(key: string, text: string): Promise<boolean> {
    const keptMs = await this.#store.get(key)
    if (keptMs === undefined) return false
    // A relative time longer than any wait, so that the clocks of machines needn't agree.
    const given = await this.#store.claim(givenKey(key), text, Number(keptMs))
    if (given !== undefined && given !== text) return false
    await this.#store.publish(key, text)
    return true
  }

  #key(scope: string | object, id: string): string {
    const name = typeof scope === 'string' ? scope : this.#nameOf(scope)
    // A digest, because session ids are long and request ids come from clients.
    return `answer:${runtime.digest(JSON.stringify([name, id]))}`
  }

  #nameOf(connection: object): string {
    const known = this.#connections.get(connection)
    if (known !== undefined) return known
    const name = toBase64Url(runtime.random(18))
    this.#connections.set(connection, name)
    return name
  }
}

/** The key that the first answer claims. */
const givenKey = (key: string): string => `${key}:given`

const nothing = (): void => {}
