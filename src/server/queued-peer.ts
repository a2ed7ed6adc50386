/** Whoever started a task, as the process knows them that runs it: nobody listens, nobody waits. */

import { ErrorCode, refusal } from '../errors/errors.js'
import type { Identity } from '../protocol/identity.js'
import type { Peer } from '../request/peer.js'
import type { Attempt, QueuedCaller } from '../tasks/task-runner.js'

export class QueuedPeer implements Peer {
  readonly request = undefined
  readonly headers = undefined
  readonly scope = undefined
  readonly uris = undefined
  readonly userId = undefined
  readonly ask = undefined
  readonly callerKey = undefined
  readonly isPassedOn = true
  readonly development: boolean
  readonly #caller: QueuedCaller
  readonly #restore: Attempt['restore']

  constructor(caller: QueuedCaller, restore: Attempt['restore'], development: boolean) {
    this.#caller = caller
    this.#restore = restore
    this.development = development
  }

  /** Throws 401 where the app has no such user any more. */
  async resolveCaller(): Promise<Identity> {
    const { id, auth, scopes } = this.#caller
    const { user, context } = await this.#restore(this.#caller)
    if (id !== undefined && (user === undefined || user === null)) {
      throw refusal(ErrorCode.Unauthorized, 'The user who started this task is not known any more', {
        status: 401,
      })
    }
    return { user: user ?? undefined, auth, scopes, context }
  }

  negotiated(): never {
    throw new Error('a task was begun by a client that agreed on everything')
  }

  send(): boolean {
    return false
  }

  onDisconnect(): () => void {
    return () => {}
  }

  canNotify(): boolean {
    return false
  }

  reserve(): void {}

  closeStream(): boolean {
    return false
  }
}
