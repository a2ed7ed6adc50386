/** The permission that an open connection rests on: asked for again every 30 seconds, and over when its token ends. */

import { Interrupted } from '../../errors/classify-error.js'
import type { Auth, Identity } from '../../protocol/identity.js'
import { type Owner, ownerOf } from '../../sessions/owner.js'
import { withTimeout } from '../../support/deadlines.js'
import { reportHostFault } from '../../tracing/error-report.js'
import type { HttpRequest } from '../http/shapes.js'
import { askUser, type CallerOptions } from './resolve-caller.js'
import { statusOf } from './verifier-status.js'

/** Milliseconds. Short enough for a clock that is set, or a machine that sleeps, to be noticed. */
const recheckMs = 30_000
/** How long a check may take, whatever a call may. Milliseconds. */
const checkMs = 10_000
/** How many checks in a row may come to nothing while a login or a verifier is away: those of five minutes. */
const mostUnknown = 10
/** And how many by an error of any other kind, which the request that opened the connection wouldn't have passed with. */
const mostFaults = 1

/** The caller as the last check found them. */
export type Renewed = Pick<Identity, 'user' | 'auth'>
export type EndOfPermission = 'expired' | 'revoked'

export class Permission {
  readonly #options: CallerOptions
  readonly #request: HttpRequest
  readonly #owner: Owner
  #auth: Auth | undefined
  /** Of a login that is asked once. */
  readonly #user: unknown
  /** Since the last check that came to something. */
  #unknown = 0
  #faults = 0

  /** `identity`: the caller that the connection was opened for. */
  constructor(options: CallerOptions, request: HttpRequest, identity: Identity) {
    this.#options = options
    this.#request = request
    this.#owner = ownerOf(identity, options.userId)
    this.#auth = identity.auth
    if (options.rechecksUser === false) this.#user = identity.user
  }

  /** When the token ends, in milliseconds since the epoch; `undefined`: nobody said, or there is none. */
  get expiresAt(): number | undefined {
    return this.#options.auth?.expiryOf(this.#request)
  }

  get scopes(): readonly string[] {
    return this.#auth?.scopes ?? []
  }

  /** Whether a check may have another result than the last one. */
  get canEnd(): boolean {
    const { auth, asksUser, rechecksUser } = this.#options
    return auth !== undefined || (asksUser === true && rechecksUser !== false)
  }

  /**
   * The caller as they are now; `undefined`: they may not go on. A check that fails because a login or a verifier is away
   * leaves everything as it was, for some minutes at most.
   */
  async renew(): Promise<Renewed | 'unknown' | undefined> {
    try {
      const found = await withTimeout(this.#find(), checkMs, () => {
        throw new Interrupted('TimeoutError', `the caller could not be checked within ${checkMs} ms`)
      })
      this.#unknown = 0
      this.#faults = 0
      if (found !== undefined) this.#auth = found.auth
      return found
    } catch (error) {
      return this.#failed(error) ? 'unknown' : undefined
    }
  }

  async #find(): Promise<Renewed | undefined> {
    const { auth, userId, rechecksUser } = this.#options
    await auth?.recheck(this.#request)
    const user = rechecksUser === false ? this.#user : await askUser(this.#options, this.#request)
    const found = { user: user ?? undefined, auth: auth?.of(this.#request) }
    const now = ownerOf({ ...found, scopes: undefined, context: undefined }, userId)
    return isSame(this.#owner, now) ? found : undefined
  }

  /** Whether the caller may go on although nobody could say who they are. */
  #failed(error: unknown): boolean {
    const status = statusOf(error)
    if (status === 401 || status === 403) return false
    // A 503 of the verifier is in the log already.
    if (status === undefined) reportHostFault(this.#options.core, error, this.#request.method)
    if (status === undefined && !isAway(error)) this.#faults += 1
    this.#unknown += 1
    return this.#faults <= mostFaults && this.#unknown <= mostUnknown
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
    const wait = (then: () => void): void => {
      timer = setTimeout(then, Math.min(Math.max(0, left()), recheckMs))
      // The connection keeps the process running, where there is one.
      ;(timer as { unref?(): unknown }).unref?.()
    }
    const lookAtTime = (): void => (left() <= 0 ? stop('expired') : wait(lookAtTime))
    const look = (): void => {
      if (left() <= 0) {
        stop('expired')
        return
      }
      // The token may end while the check takes its time.
      if (this.expiresAt !== undefined) wait(lookAtTime)
      void check().then((holds) => {
        clearTimeout(timer)
        if (stopped) return
        if (holds) wait(look)
        else stop('revoked')
      })
    }
    wait(look)
    return () => stop()
  }

  /** As `renew`, for streams, whose reader was chosen when they opened: fewer scopes end them too. */
  async holds(): Promise<boolean> {
    const before = this.scopes
    const found = await this.renew()
    if (found === undefined || found === 'unknown') return found === 'unknown'
    return before.every((scope) => found.auth?.scopes.includes(scope))
  }
}

/** Errors of a network, as Node names them, and as `fetch` wraps them. */
const networkCodes =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|UND_ERR_\w+)$/

/** Whether a login or a verifier could not be reached, or failed by itself. Drivers and verifiers wrap what they met. */
function isAway(error: unknown): boolean {
  try {
    for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth += 1) {
      const { code, status, statusCode = status, cause } = at as Readonly<Record<string, unknown>>
      if (typeof code === 'string' && networkCodes.test(code)) return true
      if (typeof statusCode === 'number' && statusCode >= 500) return true
      at = cause
    }
  } catch {}
  return false
}

interface Watched {
  /** Resolves to false once the permission is gone. */
  check(): Promise<boolean>
  end(reason: EndOfPermission): void
}

/** Whether one permission allows everything that the other one does. */
export function covers(one: Permission, other: Permission): boolean {
  return other.scopes.every((scope) => one.scopes.includes(scope))
}

function isSame(one: Owner, other: Owner): boolean {
  return one.kind === 'known' && other.kind === 'known' ? one.key === other.key : one.kind === other.kind
}
