/** The permission that an open connection rests on: asked for again every 30 seconds, and over when its token ends. */

import type { Auth, Identity } from '../context.js'
import { Interrupted } from '../failures/failure.js'
import { reportHostFault } from '../failures/report.js'
import { inTime } from '../in-time.js'
import { type Owner, ownerOf } from '../sessions/owner.js'
import type { PeerOptions } from './http-peer.js'
import { askUser } from './identify.js'
import type { HttpRequest } from './shapes.js'
import { statusOf } from './verifier-status.js'

/** Milliseconds. Short enough for a clock that is set, or a machine that sleeps, to be noticed. */
const recheckMs = 30_000

/** The caller as the last check found them. */
export type Renewed = Pick<Identity, 'user' | 'auth'>
export type EndOfPermission = 'expired' | 'revoked'

export class Permission {
  readonly #options: PeerOptions
  readonly #request: HttpRequest
  readonly #owner: Owner
  #auth: Auth | undefined

  /** `identity`: the caller that the connection was opened for. */
  constructor(options: PeerOptions, request: HttpRequest, identity: Identity) {
    this.#options = options
    this.#request = request
    this.#owner = ownerOf(identity, options.userId)
    this.#auth = identity.auth
  }

  /** When the token ends, in milliseconds since the epoch; `undefined`: nobody said, or there is none. */
  get expiresAt(): number | undefined {
    return this.#options.auth?.expiryOf(this.#request)
  }

  /** Whether a check may have another result than the last one. */
  get canEnd(): boolean {
    return this.#options.auth !== undefined || this.#options.asksUser === true
  }

  /** The caller as they are now; `undefined`: they may not go on. A check that fails leaves everything as it was. */
  async renew(): Promise<Renewed | 'unknown' | undefined> {
    const { auth, userId, core } = this.#options
    try {
      await auth?.recheck(this.#request)
      const found = { user: await this.#askUser(), auth: auth?.of(this.#request) }
      const now = ownerOf({ ...found, scopes: undefined, context: undefined }, userId)
      if (!isSame(this.#owner, now)) return undefined
      this.#auth = found.auth
      return found
    } catch (error) {
      const status = statusOf(error)
      if (status === 401 || status === 403) return undefined
      // A 503 of the verifier is in the log already.
      if (status === undefined) reportHostFault(core, error, this.#request.method)
      return 'unknown'
    }
  }

  /** Checks it every 30 seconds, and calls `end` once it is over; returns a way to stop. */
  watch({ check, end }: Watched): () => void {
    if (!this.canEnd) return () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const stop = (reason?: EndOfPermission): void => {
      if (stopped) return
      stopped = true
      clearTimeout(timer)
      if (reason !== undefined) end(reason)
    }
    const left = (): number => (this.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()
    const wait = (): void => {
      if (stopped) return
      timer = setTimeout(look, Math.min(Math.max(0, left()), recheckMs))
      // The connection keeps the process running, where there is one.
      ;(timer as { unref?(): unknown }).unref?.()
    }
    const look = (): void => {
      if (left() <= 0) stop('expired')
      else void check().then((holds) => (holds ? wait() : stop('revoked')))
    }
    wait()
    return () => stop()
  }

  #askUser(): Promise<unknown> {
    const { timeoutMs } = this.#options.core.registry.defaults
    const asked = (async () => (await askUser(this.#options, this.#request)) ?? undefined)()
    if (timeoutMs === 0) return asked
    return inTime(asked, timeoutMs, () => {
      throw new Interrupted('TimeoutError', `the login of the host did not answer within ${timeoutMs} ms`)
    })
  }

  /** As `renew`, for streams, whose reader was chosen when they opened: fewer scopes end them too. */
  async holds(): Promise<boolean> {
    const before = this.#auth?.scopes ?? []
    const found = await this.renew()
    if (found === undefined || found === 'unknown') return found === 'unknown'
    return before.every((scope) => found.auth?.scopes.includes(scope))
  }
}

interface Watched {
  /** Resolves to false once the permission is gone. */
  check(): Promise<boolean>
  end(reason: EndOfPermission): void
}

function isSame(one: Owner, other: Owner): boolean {
  return one.kind === 'known' && other.kind === 'known' ? one.key === other.key : one.kind === other.kind
}
