/** The options of every mount. */

import {
  aBoolean,
  aCount,
  aFunction,
  arrayOf,
  type Check,
  checkOptions,
  expected,
  type OptionTable,
} from '../check-options.js'
import type { Awaitable, Context, Register } from '../context.js'
import { type AnyRouteOptions, type RouteOptions, routeOptions } from '../routes/route-options.js'
import type { UserId } from '../sessions/owner.js'
import type { CorsOption } from './cors.js'

interface SharedOptions<Req, E extends object> {
  /** Default `/mcp`. Below the mount point; a mount point that already ends in it is the endpoint itself. */
  path?: string | readonly string[] | undefined
  /** The caller, read at call time. Default: where the framework's logins put it. */
  user?: ((req: Req) => Awaitable<Context<E>['user']>) | undefined
  /** The stable id of a user: what sessions are bound to. Default: `sub`, `id`, `_id` or `userId`. */
  userId?: ((user: NonNullable<Context<E>['user']>) => string | number | undefined) | undefined
  /** How the world reaches the endpoint: its host and origin are allowed. */
  publicUrl?: string | undefined
  /** Default: the same host; loopback names when the peer is loopback. */
  allowedOrigins?: readonly string[] | undefined
  /** Default: any, but loopback names only when the peer is loopback. */
  allowedHosts?: readonly string[] | undefined
  /** Default off. Origins named here become allowed ones; `true` for the allowed ones. */
  cors?: CorsOption | undefined
  /** Default 4 MiB. */
  maxBodyBytes?: number | undefined
  /** Default 64 levels. */
  maxDepth?: number | undefined
  /** Default 100,000 members. */
  maxElements?: number | undefined
  /** Default off. `true`: `GET <path>/health` tells status, server, version and counts. */
  health?: boolean | undefined
  /** Which existing routes become tools. Default: the marked ones. */
  routes?: RouteOptions<Req, E> | undefined
  /** The app whose routes these are. Default: the one that requests come to. */
  app?: object | undefined
}

/** Required as soon as `Register` promises more than `user`. */
type ContextOption<Req, Extra> =
  Record<never, never> extends Extra
    ? { context?: ((req: Req) => Awaitable<Extra>) | undefined }
    : { context: (req: Req) => Awaitable<Extra> }

export type MountOptions<Req, E extends object = Register> = SharedOptions<Req, E> &
  ContextOption<Req, Omit<E, 'user'>>

/** The options argument of a mount: left out only where nothing is required. */
export type OptionsArgument<O> = Record<never, never> extends O ? [options?: O] : [options: O]

/** The options once their types have done their work. */
export interface AnyMountOptions extends Omit<SharedOptions<never, object>, 'user' | 'userId' | 'routes'> {
  readonly user?: ((req: unknown) => unknown) | undefined
  readonly userId?: UserId | undefined
  readonly context?: ((req: unknown) => unknown) | undefined
  readonly routes?: AnyRouteOptions | undefined
}

const aPath: Check = expected(
  'a path that starts with "/" and names something',
  (value) => typeof value === 'string' && /^\/[^/?#]/.test(value),
)
const aUrl: Check = expected('a URL such as https://app.example.com', isUrl)
const aHost: Check = expected(
  'a host such as api.example.com or localhost:3000, without a scheme or path',
  (value) => typeof value === 'string' && /^[^\s/?#@]+$/.test(value),
)
function oneOrMore(check: Check): Check {
  return (value, what) => {
    if (Array.isArray(value) && value.length === 0) throw new TypeError(`${what} to name at least one`)
    const checkAll = Array.isArray(value) ? arrayOf(check) : check
    checkAll(value, what)
  }
}

const aCorsOption: Check = (value, what) => {
  if (typeof value === 'boolean' || value === '*') return
  if (Array.isArray(value) && value.includes('*'))
    throw new TypeError(`${what} to hold origins; for every origin write '*' alone`)
  oneOrMore(aUrl)(value, what)
}

function isUrl(value: unknown): boolean {
  try {
    return new URL(value as string).host !== ''
  } catch {
    return false
  }
}

/** For mounts that take options of their own as well. */
export const mountOptionTable: OptionTable = {
  known: {
    path: oneOrMore(aPath),
    user: aFunction,
    userId: aFunction,
    context: aFunction,
    publicUrl: aUrl,
    allowedOrigins: arrayOf(aUrl),
    allowedHosts: arrayOf(aHost),
    cors: aCorsOption,
    maxBodyBytes: aCount,
    maxDepth: aCount,
    maxElements: aCount,
    health: aBoolean,
    routes: routeOptions,
    app: expected('an app', (value) => ['object', 'function'].includes(typeof value)),
  },
  later: ['auth', 'explorer', 'legacySse', 'streams', 'maxStreams'],
}

/** @throws TypeError naming the option, what was expected and what came. */
export function checkMountOptions(options: AnyMountOptions): void {
  checkOptions('mcp()', options, mountOptionTable)
}
