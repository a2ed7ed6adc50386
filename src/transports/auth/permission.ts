/** The permission of an open connection: checked every 30 seconds, and revoked when its token expires. */

import { Interrupted } from '../../errors/classify-error.js'
import type { Auth, Identity } from '../../protocol/identity.js'
import { type Owner, ownerOf } from '../../sessions/owner.js'
import { withTimeout } from '../../support/deadlines.js'
import { reportHostFault } from '../../tracing/error-report.js'
import type { HttpRequest } from '../http/shapes.js'
import { type CallerOptions, resolveUser } from './resolve-caller.js'
import { verifierStatus } from './verifier-status.js'

/** Milliseconds between checks. Short, so that expiry is noticed after a clock change or when the machine wakes up. */
const recheckMs = 30_000
/** The time limit of one check in milliseconds, independent of the limit for calls. */
const checkTimeoutMs = 10_000
/** The number of checks in a row that may fail because a login or verifier is unavailable: five minutes' worth. */
const maxUnknown = 10
/** The number of checks in a row that may fail with another error. Such an error would have refused the initial request. */
const maxFaults = 1

/** The caller according to the last check. */
export type RenewedCaller = Pick<Identity, 'user' | 'auth'>
export type PermissionEnd = 'expired' | 'revoked'

export class Permission {
  readonly #options: CallerOptions
  readonly #request: HttpRequest
  readonly #owner: Owner
  #auth: Auth | undefined
  /** The user, if the login isn't checked again. */
  readonly #user: unknown
  /** Failed checks since the last successful one. */
  #unknown = 0
  #faults = 0

  /** `identity` is the caller that opened the connection. */
  constructor(options: CallerOptions, request: HttpRequest, identity: Identity) {
    this.#options = options
    this.#request = request
    this.#owner = ownerOf(identity, options.userId)
    this.#auth = identity.auth
    if (options.rechecksUser === false) this.#user = identity.user
  }

  /** The token's expiry in milliseconds since the epoch; `undefined` without a token or a known expiry. */
  get expiresAt(): number | undefined {
    return this.#options.auth?.expiryOf(this.#request)
  }

  get scopes(): readonly string[] {
    return this.#auth?.scopes ?? []
  }

  /** Whether the permission can end, that is, whether there is anything to check. */
  get canEnd(): boolean {
    const { auth, hasUserOption, rechecksUser } = this.#options
    return auth !== undefined || (hasUserOption === true && rechecksUser !== false)
  }

  /**
   * Checks the permission. Resolves to the current caller, or to `undefined` if the permission has ended. Resolves to
   * `unknown` if the login or verifier is unavailable; after some minutes, the permission ends.
   */
  async renew(): Promise<RenewedCaller | 'unknown' | undefined> {
    try {
      const found = await withTimeout(this.#resolve(), checkTimeoutMs, () => {
        throw new Interrupted('TimeoutError', `the caller could not be checked within ${checkTimeoutMs} ms`)
      })
      this.#unknown = 0
      this.#faults = 0
      if (found !== undefined) this.#auth = found.auth
      return found
    } catch (error) {
      return this.#mayContinue(error) ? 'unknown' : undefined
    }
  }

  async #resolve(): Promise<RenewedCaller | undefined> {
    const { auth, userId, rechecksUser } = this.#options
    await auth?.recheck(this.#request)
    const user = rechecksUser === false ? this.#user : await resolveUser(this.#options, this.#request)
    const found = { user: user ?? undefined, auth: auth?.authOf(this.#request) }
    const now = ownerOf({ ...found, scopes: undefined, context: undefined }, userId)
    return isSame(this.#owner, now) ? found : undefined
  }

  /** Whether the connection may continue after a failed check. */
  #mayContinue(error: unknown): boolean {
    const status = verifierStatus(error)
    if (status === 401 || status === 403) return false
    // The verifier has already logged a 503.
    if (status === undefined) reportHostFault(this.#options.core, error, this.#request.method)
    if (status === undefined && !isUnavailable(error)) this.#faults += 1
    this.#unknown += 1
    return this.#faults <= maxFaults && this.#unknown <= maxUnknown
  }

  /** Checks the permission every 30 seconds and calls `end` once it has ended. Returns a function that stops the checks. */
  watch({ check, end }: PermissionWatcher): () => void {
    if (!this.canEnd) return () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const stop = (reason?: PermissionEnd): void => {
      if (stopped) return
      stopped = true
      clearTimeout(timer)
      if (reason !== undefined) end(reason)
    }
    const remainingMs = (): number => (this.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()
    const wait = (then: () => void): void => {
      timer = setTimeout(then, Math.min(Math.max(0, remainingMs()), recheckMs))
      // The connection keeps the process running, not this timer.
      ;(timer as { unref?(): unknown }).unref?.()
    }
    const checkExpiry = (): void => (remainingMs() <= 0 ? stop('expired') : wait(checkExpiry))
    const recheck = (): void => {
      if (remainingMs() <= 0) {
        stop('expired')
        return
      }
      // The token may expire while the check is running.
      if (this.expiresAt !== undefined) wait(checkExpiry)
      void check().then((isValid) => {
        clearTimeout(timer)
        if (stopped) return
        if (isValid) wait(recheck)
        else stop('revoked')
      })
    }
    wait(recheck)
    return () => stop()
  }

  /** Whether a stream may stay open. Losing a scope ends a stream, because its visibility is fixed when it opens. */
  async isStillValid(): Promise<boolean> {
    const before = this.scopes
    const found = await this.renew()
    if (found === undefined || found === 'unknown') return found === 'unknown'
    return before.every((scope) => found.auth?.scopes.includes(scope))
  }
}

/** Error codes of network failures in Node and `fetch`. */
const networkCodes =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|UND_ERR_\w+)$/

/** Whether an error says that a login or verifier is unavailable. Searches causes, too, since drivers wrap errors. */
function isUnavailable(error: unknown): boolean {
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

interface PermissionWatcher {
  /** Resolves to false once the permission has ended. */
  check(): Promise<boolean>
  end(reason: PermissionEnd): void
}

/** Whether `one` has all scopes of `other`. */
export function covers(one: Permission, other: Permission): boolean {
  return other.scopes.every((scope) => one.scopes.includes(scope))
}

function isSame(one: Owner, other: Owner): boolean {
  return one.kind === 'known' && other.kind === 'known' ? one.key === other.key : one.kind === other.kind
}
