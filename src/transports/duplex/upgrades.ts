/** Authenticates HTTP requests that are upgraded to another protocol, such as WebSocket. */

import type { Caller } from '../../definitions/context.js'
import { closingError, ErrorCode, refusal } from '../../errors/errors.js'
import { assertUser } from '../../request/authorize.js'
import type { Core } from '../../server/core.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import { checkOptions, type OptionTable } from '../../support/check-options.js'
import { Authenticator } from '../auth/authenticator.js'
import type { Permission } from '../auth/permission.js'
import { ProtectedResource } from '../auth/protected-resource.js'
import { noteLogin } from '../auth/resolve-caller.js'
import { HttpPeer, type PeerOptions } from '../http/http-peer.js'
import { HttpSessions } from '../http/http-sessions.js'
import {
  type AnyMountOptions,
  anUpgradePath,
  assertResourceKnown,
  type MountOptions,
  mountOptionTable,
  pathsOf,
} from '../http/mount-options.js'
import { OriginGuard } from '../http/origins.js'
import { withoutSlashes } from '../http/paths.js'
import { refusalResponse, toRefusal } from '../http/refusals.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'
import { type DuplexLimits, duplexLimitTable } from './duplex-options.js'

/** The mount options that also apply to upgrades: those about the address, the caller and origins. */
const sharedOptions = [
  'path',
  'user',
  'userId',
  'context',
  'auth',
  'publicUrl',
  'allowedOrigins',
  'allowedHosts',
] as const

/** The options of an upgrade: the mount options that apply to it, and the limits of connections. */
export type UpgradeOptions<Req, E extends object> = Pick<
  MountOptions<Req, E>,
  Extract<(typeof sharedOptions)[number], keyof MountOptions<Req, E>>
> &
  DuplexLimits

/** `UpgradeOptions` without type parameters. */
export type AnyUpgradeOptions = Pick<AnyMountOptions, (typeof sharedOptions)[number]> & DuplexLimits

/** The options of an upgrade, as a table for `checkOptions`. */
export const upgradeOptionTable: OptionTable = {
  known: {
    ...Object.fromEntries(sharedOptions.map((name) => [name, mountOptionTable.known[name] as never])),
    ...duplexLimitTable.known,
    path: anUpgradePath,
  },
}

/** An accepted upgrade. */
export interface Entrant {
  readonly caller: Caller<object>
  /** The permission that the connection depends on. */
  readonly permission: Permission
  /** The key that per-caller limits count by. */
  readonly callerKey: string | undefined
}

/** Authenticates the upgrade requests of a transport. Create it once per transport. */
export class Upgrades {
  readonly #core: Core
  readonly #origins: OriginGuard
  readonly #auth: Authenticator | undefined
  readonly #resource: ProtectedResource
  readonly #peerOptions: PeerOptions
  readonly #paths: readonly string[]

  /**
   * `owner` names the function with these options, for error messages; `table` is the table of its options.
   * @throws TypeError for unknown or invalid options.
   */
  constructor(
    router: McpRouter<never> | McpRouter<object>,
    options: AnyUpgradeOptions,
    { owner, table, defaultUser, rechecksUser, runsMiddleware = false }: UpgradeParts,
  ) {
    checkOptions(owner, options, table)
    assertResourceKnown(owner, options)
    const core = coreOf(router)
    core.inFlight.reopen()
    core.runner?.work()
    const { publicUrl, allowedOrigins = [], allowedHosts, auth } = options
    this.#core = core
    this.#paths = pathsOf(options).map(withoutSlashes)
    this.#origins = new OriginGuard({ publicUrl, allowedOrigins, allowedHosts, anyOrigin: false })
    this.#resource = new ProtectedResource({ publicUrl, allowedHosts, paths: this.#paths })
    if (auth !== undefined) {
      this.#auth = new Authenticator({ core, options: auth, resource: this.#resource })
    }
    if (!runsMiddleware && auth === undefined && options.user === undefined)
      noteLogin(core, { openUpgrade: owner })
    this.#peerOptions = {
      core,
      sessions: new HttpSessions(core, options.userId),
      user: options.user ?? defaultUser,
      hasUserOption: options.user !== undefined,
      rechecksUser,
      context: options.context,
      userId: options.userId,
      auth: this.#auth,
      streams: undefined,
    }
  }

  /** Whether `path` is an address of this transport. The whole path must match; a trailing slash is ignored. */
  has(path: string): boolean {
    const found = this.#paths.includes(withoutSlashes(path))
    if (found) this.#resource.noteRequest('', path, true)
    return found
  }

  /**
   * Checks Origin, Host, token and login, like the HTTP endpoint. Resolves to the accepted caller, or to the error response.
   * Never rejects.
   */
  async admit(request: HttpRequest): Promise<Entrant | HttpResponse> {
    try {
      this.#origins.check(request)
      await this.#auth?.authenticate(request)
      if (request.refused !== undefined) throw request.refused
      if (this.#core.inFlight.closing) throw closingError()
      return await this.#toEntrant(request)
    } catch (error) {
      return refusalResponse(toRefusal(this.#core, request, error))
    }
  }

  /** The error response to a request that isn't a valid upgrade. */
  refuse(status: number, message: string, headers: Record<string, string> = {}): HttpResponse {
    return refusalResponse(refusal(ErrorCode.InvalidRequest, message, { status, headers }))
  }

  async #toEntrant(request: HttpRequest): Promise<Entrant> {
    const peer = new HttpPeer(request, this.#peerOptions)
    const { user, auth, context, scopes } = await peer.resolveCallerWithTimeout()
    if (this.#core.requireUser) assertUser({ user, auth, context, scopes }, peer)
    const { method, url, headers, ip } = request
    return {
      // No `raw`: middleware couldn't work with a request whose response was sent long ago.
      caller: {
        user,
        auth,
        scopes,
        context: context as Caller<object>['context'],
        userId: this.#peerOptions.userId as Caller<object>['userId'],
        request: { method, url, headers, ip, raw: undefined },
      },
      permission: peer.permissionOf({ user, auth, context, scopes }),
      callerKey: peer.callerKey,
    }
  }
}

/** The transport's settings for `Upgrades`. */
export interface UpgradeParts {
  /** The name of the transport's function, for error messages. */
  readonly owner: string
  /** The table of the transport's options. */
  readonly table: OptionTable
  /** Reads the user from the framework's request, where its logins put it. */
  readonly defaultUser: (raw: unknown) => unknown
  /** If false, `user` is called once for each connection. Default true. */
  readonly rechecksUser?: boolean | undefined
  /** Whether the framework runs its own middleware, and so its logins, for an upgrade. Default false. */
  readonly runsMiddleware?: boolean
}
