/**
 * Answers of legacy clients on their way to the handler that waits: they are posted on a connection of their own,
 * perhaps to another process, and so travel through the store.
 */

import { runtime } from '#runtime'
import { ErrorCode, refusal } from '../errors/errors.js'
import type { PostedAnswer } from '../protocol/jsonrpc.js'
import { poll } from '../store/retries.js'
import type { Store } from '../store/store.js'
import { toBase64Url } from '../support/base64.js'
import { longestTimer } from '../support/in-flight.js'

/** A request that is out, under an id that nobody can guess. */
export interface PendingAnswer {
  readonly id: string
  readonly answer: Promise<PostedAnswer>
  /** Nobody waits any more: a late answer is refused. */
  drop(): void
}

/** The timer of the one that waits is what ends a question: the store must not be earlier. Milliseconds. */
const graceMs = 5_000

export class PostedAnswers {
  readonly #store: Store
  /** Connections without a session, by a name of ours. */
  readonly #connections = new WeakMap<object, string>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * `scope`: the session or connection that may answer. Whoever waits ends that, with `drop` after `ttlMs`; where its
   * process ended, the store forgets it a little later.
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
      // A store that is away forgets the keys by itself, later.
      for (const one of [key, givenKey(key)]) this.#store.delete(one).catch(nothing)
    }
    return { id, answer, drop }
  }

  /**
   * False: nobody waits for this answer, or somebody has given another one already. Throws 503 where the store fails:
   * the same answer can be given again until it has arrived.
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
    // Counted from now on: longer than anybody waits, and the clocks of two machines are not compared.
    const given = await this.#store.claim(givenKey(key), text, Number(keptMs))
    if (given !== undefined && given !== text) return false
    await this.#store.publish(key, text)
    return true
  }

  #key(scope: string | object, id: string): string {
    const name = typeof scope === 'string' ? scope : this.#nameOf(scope)
    // Sessions are long; ids come from clients and may be anything.
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

/** What was answered first counts. */
const givenKey = (key: string): string => `${key}:given`

const nothing = (): void => {}
