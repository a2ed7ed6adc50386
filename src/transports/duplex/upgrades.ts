/** The door for connections that begin as an HTTP request and become something else: who may pass, and as whom. */

import type { Caller } from '../../definitions/context.js'
import { closingError, ErrorCode, refusal } from '../../errors/errors.js'
import { assertUser } from '../../request/authorize.js'
import type { Core } from '../../server/core.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import { checkOptions, type OptionTable } from '../../support/check-options.js'
import { Authenticator } from '../auth/authenticator.js'
import type { Permission } from '../auth/permission.js'
import { ProtectedResource } from '../auth/protected-resource.js'
import { noteDoor } from '../auth/resolve-caller.js'
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

/** The options of a mount that are about who calls. */
const shared = [
  'path',
  'user',
  'userId',
  'context',
  'auth',
  'publicUrl',
  'allowedOrigins',
  'allowedHosts',
] as const

/** The options of a mount that hold for connections too, and their limits. */
export type UpgradeOptions<Req, E extends object> = Pick<
  MountOptions<Req, E>,
  Extract<(typeof shared)[number], keyof MountOptions<Req, E>>
> &
  DuplexLimits

/** The options once their types have done their work. */
export type AnyUpgradeOptions = Pick<AnyMountOptions, (typeof shared)[number]> & DuplexLimits

/** The options of such a door, as a table for `checkOptions`. */
export const upgradeOptionTable: OptionTable = {
  known: {
    ...Object.fromEntries(shared.map((name) => [name, mountOptionTable.known[name] as never])),
    ...duplexLimitTable.known,
    path: anUpgradePath,
  },
}

/** Who came in. */
export interface Entrant {
  readonly caller: Caller<object>
  /** What lets them stay. */
  readonly permission: Permission
  /** Whom per-caller limits count. */
  readonly callerKey: string | undefined
}

/** Made once, by a transport; for any number of requests. */
export class Upgrades {
  readonly #core: Core
  readonly #origins: OriginGuard
  readonly #auth: Authenticator | undefined
  readonly #resource: ProtectedResource
  readonly #peers: PeerOptions
  readonly #paths: readonly string[]

  /**
   * `owner` and `table`: whose options they are, in messages, and which there are.
   * @throws TypeError for options that do not exist or do not fit.
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
    if (!runsMiddleware && auth === undefined && options.user === undefined) noteDoor(core, { open: owner })
    this.#peers = {
      core,
      sessions: new HttpSessions(core, options.userId),
      user: options.user ?? defaultUser,
      asksUser: options.user !== undefined,
      rechecksUser,
      context: options.context,
      userId: options.userId,
      auth: this.#auth,
      streams: undefined,
    }
  }

  /** Whether it is ours to answer: the whole path, with or without a slash at its end. */
  has(path: string): boolean {
    const found = this.#paths.includes(withoutSlashes(path))
    if (found) this.#resource.seenAt('', path, true)
    return found
  }

  /** Origin, Host, token and login, as at the HTTP endpoint; the refusal where one of them says no. Never rejects. */
  async admit(request: HttpRequest): Promise<Entrant | HttpResponse> {
    try {
      this.#origins.check(request)
      await this.#auth?.authenticate(request)
      if (request.refused !== undefined) throw request.refused
      if (this.#core.inFlight.closing) throw closingError()
      return await this.#enter(request)
    } catch (error) {
      return refusalResponse(toRefusal(this.#core, request, error))
    }
  }

  /** The answer to a request that does not ask for what is served here. */
  refuse(status: number, message: string, headers: Record<string, string> = {}): HttpResponse {
    return refusalResponse(refusal(ErrorCode.InvalidRequest, message, { status, headers }))
  }

  async #enter(request: HttpRequest): Promise<Entrant> {
    const peer = new HttpPeer(request, this.#peers)
    const { user, auth, context, scopes } = await peer.identifyInTime()
    if (this.#core.requireUser) assertUser({ user, auth, context, scopes }, peer)
    const { method, url, headers, ip } = request
    return {
      // What a framework's middleware would do with a request that was answered long ago, nobody can tell: hence no `raw`.
      caller: {
        user,
        auth,
        scopes,
        context: context as Caller<object>['context'],
        userId: this.#peers.userId as Caller<object>['userId'],
        request: { method, url, headers, ip, raw: undefined },
      },
      permission: peer.permissionOf({ user, auth, context, scopes }),
      callerKey: peer.callerKey,
    }
  }
}

/** What a transport says of such a door: its name, its options, and where its logins put the caller. */
export interface UpgradeParts {
  readonly owner: string
  readonly table: OptionTable
  /** Where logins put the caller. */
  readonly defaultUser: (raw: unknown) => unknown
  /** False: `user` is asked once for each connection. */
  readonly rechecksUser?: boolean | undefined
  /** The framework's own logins run for an upgrade. */
  readonly runsMiddleware?: boolean
}
