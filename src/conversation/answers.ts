/**
 * Answers of legacy clients on their way to the handler that waits: they are posted on a connection of their own,
 * perhaps to another process, and so travel through the store.
 */

import { runtime } from '#runtime'
import { toBase64Url } from '../base64.js'
import type { PostedAnswer } from '../protocol/jsonrpc.js'
import type { Store } from '../store/store.js'

/** A request that is out, under an id that nobody can guess. */
export interface Waiting {
  readonly id: string
  readonly answer: Promise<PostedAnswer>
  /** Nobody waits any more: a late answer is refused. */
  drop(): void
}

export class Answers {
  readonly #store: Store
  /** Connections without a session, by a name of ours. */
  readonly #connections = new WeakMap<object, string>()

  constructor(store: Store) {
    this.#store = store
  }

  /** `scope`: the session or connection that may answer. */
  async expect(scope: string | object, ttlMs: number): Promise<Waiting> {
    const id = toBase64Url(runtime.random(18))
    const key = this.#key(scope, id)
    let settle: (answer: PostedAnswer) => void
    const answer = new Promise<PostedAnswer>((resolve) => {
      settle = resolve
    })
    const unsubscribe = await this.#store.subscribe(key, (text) => settle(JSON.parse(text) as PostedAnswer))
    await this.#store.set(key, '', ttlMs)
    const drop = (): void => {
      unsubscribe()
      // A store that is away forgets the key by itself, later.
      this.#store.delete(key).catch(nothing)
    }
    return { id, answer, drop }
  }

  /** False: nobody waits for this answer, or somebody has given it already. */
  async deliver(scope: string | object, posted: PostedAnswer): Promise<boolean> {
    if (typeof posted.id !== 'string') return false
    const key = this.#key(scope, posted.id)
    // Whoever deletes it is the one that answers.
    if (!(await this.#store.delete(key))) return false
    const { id, result, error } = posted
    await this.#store.publish(key, JSON.stringify({ id, result, error }))
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

const nothing = (): void => {}
