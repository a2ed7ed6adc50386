/** The options of every mount. */

import type { Awaitable, Context, Register } from '../../definitions/context.js'
import type { Auth } from '../../protocol/identity.js'
import { type AnyRouteOptions, type RouteOptions, routeOptions } from '../../routes/route-options.js'
import { isDevelopment } from '../../server/router-options.js'
import type { UserId } from '../../sessions/owner.js'
import {
  aBoolean,
  aCount,
  aFunction,
  arrayOf,
  type Check,
  checkOptions,
  expected,
  nested,
  type OptionTable,
} from '../../support/check-options.js'
import { type AuthOptions, anAuthOption } from '../auth/auth-options.js'
import type { CorsOption } from './origins.js'

interface SharedOptions<Req, E extends object> {
  /** Default `/mcp`. Below the mount point; a mount point that already ends in it is the endpoint itself. */
  path?: string | readonly string[] | undefined
  /** The caller, read at call time; `auth` is that of a checked token. Default: where the framework's logins put it. */
  user?: ((req: Req, auth: Auth | undefined) => Awaitable<Context<E>['user']>) | undefined
  /**
   * The stable id of a user: what sessions are bound to. Default: issuer and subject of a checked token, else `sub`,
   * `id`, `_id` or `userId`.
   */
  userId?: ((user: NonNullable<Context<E>['user']>) => string | number | undefined) | undefined
  /** Makes the endpoint an OAuth 2.1 protected resource: every request needs a bearer token for it. */
  auth?: AuthOptions | undefined
  /** How the world reaches the endpoint: its host and origin are allowed, and tokens are meant for it. */
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
  /**
   * A page for people at the endpoint, when a browser opens it: everything that is served, to read and to try. Default:
   * in development.
   */
  explorer?: boolean | undefined
  /** Which existing routes become tools. Default: the marked ones. */
  routes?: RouteOptions<E> | undefined
  /** The app whose routes these are. Default: the one that requests come to. */
  app?: object | undefined
  /**
   * Default true: clients can be told of changes, on GET streams and by `subscriptions/listen`. False: GET answers
   * 405, and nothing of it is advertised.
   */
  streams?: boolean | undefined
  /**
   * Default off. `true`: the transport of 2024-11-05 at `<path>/sse` and `<path>/message`; or where below the mount
   * point. A client's messages must reach the process that has its stream.
   */
  legacySse?: boolean | LegacySseOption | undefined
  /** How many such streams may be open at once on this mount; 503 beyond. Default 20,000. */
  maxStreams?: number | undefined
  /**
   * How many of them a single caller may have; 429 beyond. Anonymous callers count by their address. Default 100.
   */
  maxStreamsPerCaller?: number | undefined
}

/** `sse` and `message` go together. */
export interface LegacySseOption {
  readonly sse?: string | undefined
  readonly message?: string | undefined
  /**
   * Announces where to post as a whole URL, for clients that can't resolve a path. From `publicUrl` if there is one,
   * otherwise from the request. Default false.
   */
  readonly absolute?: boolean | undefined
}

/** Required as soon as `Register` promises more than `user`. */
type ContextOption<Req, Extra> =
  Record<never, never> extends Extra
    ? { context?: ((req: Req) => Awaitable<Extra>) | undefined }
    : { context: (req: Req) => Awaitable<Extra> }

/** The options of every mount. */
export type MountOptions<Req, E extends object = Register> = SharedOptions<Req, E> &
  ContextOption<Req, Omit<E, 'user'>>

/** The options argument of a mount: left out only where nothing is required. */
export type OptionsArgument<O> = Record<never, never> extends O ? [options?: O] : [options: O]

/** The options once their types have done their work. */
export interface AnyMountOptions extends Omit<SharedOptions<never, object>, 'user' | 'userId' | 'routes'> {
  readonly user?: ((req: unknown, auth: Auth | undefined) => unknown) | undefined
  readonly userId?: UserId | undefined
  readonly context?: ((req: unknown) => unknown) | undefined
  readonly routes?: AnyRouteOptions | undefined
}

const aPath: Check = expected(
  'a path that starts with "/" and names something',
  (value) => typeof value === 'string' && /^\/[^/?#]/.test(value),
)
/** Path of an endpoint that only takes upgrades: the root of the server fits too. */
export const anUpgradePath: Check = oneOrMore(
  expected(
    'a path that starts with "/"',
    (value) => value === '/' || (typeof value === 'string' && /^\/[^/?#]/.test(value)),
  ),
)
const aUrl: Check = expected('a URL such as https://app.example.com', isUrl)
const aHost: Check = expected(
  'a host such as api.example.com or localhost:3000, without a scheme or path',
  (value) => typeof value === 'string' && /^[^\s/?#@]+$/.test(value),
)
function oneOrMore(check: Check): Check {
  return (value, what) => {
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${what} to name at least one; got none`)
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

const aLegacySseOption: Check = (value, what) => {
  if (typeof value === 'boolean') return
  const paths = { sse: aPath, message: aPath, absolute: aBoolean }
  const { sse, message } = value as LegacySseOption
  nested(paths, sse === undefined && message === undefined ? [] : ['sse', 'message'])(value, what)
  if (sse !== undefined && sse === message) {
    throw new TypeError(`${what} to name two paths; got ${sse} twice`)
  }
}

function isUrl(value: unknown): boolean {
  try {
    return new URL(value as string).host !== ''
  } catch {
    return false
  }
}

/** RFC 9728, 1.2. */
function isResource(value: string): boolean {
  const { protocol, search, hash, username } = new URL(value)
  return /^https?:$/.test(protocol) && search + hash + username === '' && !/[?#]/.test(value)
}

/** For mounts where no framework tells its routes. @throws TypeError for options that only such a framework can serve. */
export function assertNoRoutes(options: object): void {
  for (const name of ['routes', 'app']) {
    if ((options as Record<string, unknown>)[name] === undefined) continue
    throw new TypeError(
      `\`${name}\` is for mounts that can find routes: those of mcp-router/express, mcp-router/fastify and mcp-router/koa. ` +
        'Here routes become tools with addOpenApi() of mcp-router/openapi.',
    )
  }
}

/** For mounts that take options of their own as well. */
export const mountOptionTable: OptionTable = {
  known: {
    path: oneOrMore(aPath),
    user: aFunction,
    userId: aFunction,
    context: aFunction,
    auth: anAuthOption,
    publicUrl: aUrl,
    allowedOrigins: arrayOf(aUrl),
    allowedHosts: arrayOf(aHost),
    cors: aCorsOption,
    maxBodyBytes: aCount,
    maxDepth: aCount,
    maxElements: aCount,
    health: aBoolean,
    explorer: aBoolean,
    routes: routeOptions,
    app: expected('an app', (value) => ['object', 'function'].includes(typeof value)),
    streams: aBoolean,
    legacySse: aLegacySseOption,
    maxStreams: aCount,
    maxStreamsPerCaller: aCount,
  },
}

/** Where the endpoint is, below the mount point: one path or several. */
export function pathsOf({ path = '/mcp' }: Pick<AnyMountOptions, 'path'>): readonly string[] {
  return typeof path === 'string' ? [path] : path
}

/** @throws TypeError where only a request header could say which resource tokens must be issued for. */
export function assertResourceKnown(
  owner: string,
  { auth, publicUrl, allowedHosts }: Pick<AnyMountOptions, 'auth' | 'publicUrl' | 'allowedHosts'>,
): void {
  if (auth === undefined || publicUrl !== undefined || allowedHosts !== undefined || isDevelopment()) return
  throw new TypeError(
    `${owner}: expected \`publicUrl\` (or \`allowedHosts\`) beside \`auth\`, since tokens are issued for it; got none. ` +
      'On your own machine NODE_ENV=development does without.',
  )
}

/** @throws TypeError naming the option, what was expected and what came. */
export function checkMountOptions(options: AnyMountOptions): void {
  checkOptions('mcp()', options, mountOptionTable)
  assertResourceKnown('mcp()', options)
  const { legacySse, auth, publicUrl } = options
  if (auth !== undefined && publicUrl !== undefined && !isResource(publicUrl)) {
    throw new TypeError(
      `mcp(): expected \`publicUrl\` to name a resource: an http or https URL without query and fragment; got ${publicUrl}`,
    )
  }
  const taken = typeof legacySse === 'object' ? [legacySse.sse, legacySse.message] : []
  const twice = taken.find((one) => one !== undefined && pathsOf(options).includes(one))
  if (twice !== undefined) throw new TypeError(`mcp(): expected \`legacySse\` to name paths beside ${twice}`)
}
