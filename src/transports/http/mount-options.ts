/** The options that all mounts share, and their checks. */

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
  /** The endpoint's path or paths below the mount point. A mount point that already ends in it is the endpoint. Default `/mcp`. */
  path?: string | readonly string[] | undefined
  /**
   * Returns the user of a request. `auth` comes from the verified token, if there is one. Default: the user where the
   * framework's logins put it.
   */
  user?: ((req: Req, auth: Auth | undefined) => Awaitable<Context<E>['user']>) | undefined
  /**
   * Returns the stable id of a user, which sessions are bound to. Default: issuer and subject of a verified token, else
   * `sub`, `id`, `_id` or `userId` of the user.
   */
  userId?: ((user: NonNullable<Context<E>['user']>) => string | number | undefined) | undefined
  /** Makes the endpoint an OAuth 2.1 protected resource: every request needs a bearer token for it. */
  auth?: AuthOptions | undefined
  /** The public URL of the endpoint. Its host and origin are allowed, and tokens must be issued for it. */
  publicUrl?: string | undefined
  /** Origins of pages that may call the endpoint. Default: the request's own host, and loopback names for a loopback peer. */
  allowedOrigins?: readonly string[] | undefined
  /** Allowed values of `Host`. Default: any, but for a loopback peer only loopback names. */
  allowedHosts?: readonly string[] | undefined
  /** CORS for the allowed origins (`true`), for these origins too (a list), or for every origin (`'*'`). Default off. */
  cors?: CorsOption | undefined
  /** Maximum size of a request body in bytes. Default 4 MiB. */
  maxBodyBytes?: number | undefined
  /** Maximum nesting depth of a request body. Default 64 levels. */
  maxDepth?: number | undefined
  /** Maximum number of elements and members in a request body. Default 100,000. */
  maxElements?: number | undefined
  /** Whether `GET <path>/health` returns status, server, version and counts. Default false. */
  health?: boolean | undefined
  /**
   * Whether browsers get the explorer at the endpoint: a page that shows all tools, resources and prompts and can call them.
   * Default: in development.
   */
  explorer?: boolean | undefined
  /** Selects the existing routes that become tools. Default: the marked ones. */
  routes?: RouteOptions<E> | undefined
  /** The app whose routes become tools. Default: the app that receives the request. */
  app?: object | undefined
  /**
   * Whether clients can get notifications of changes, through GET streams and `subscriptions/listen`. If false, GET returns
   * 405 and the server doesn't advertise notifications. Default true.
   */
  streams?: boolean | undefined
  /**
   * Serves the HTTP+SSE transport of 2024-11-05: at `<path>/sse` and `<path>/message` if `true`, or at the given paths below
   * the mount point. A client's messages must reach the process that has its stream. Default off.
   */
  legacySse?: boolean | LegacySseOption | undefined
  /** Maximum number of streams open at once on this mount; further ones get 503. Default 20,000. */
  maxStreams?: number | undefined
  /**
   * Maximum number of streams of one caller; further ones get 429. Anonymous callers count by their address. Default 100.
   */
  maxStreamsPerCaller?: number | undefined
}

/** The addresses of the 2024-11-05 transport. Give both `sse` and `message`, or neither. */
export interface LegacySseOption {
  readonly sse?: string | undefined
  readonly message?: string | undefined
  /**
   * Whether the address for posts is a complete URL, for clients that can't resolve a path. It's based on `publicUrl` if
   * given, otherwise on the request. Default false.
   */
  readonly absolute?: boolean | undefined
}

/** The option `context`, required if `Register` declares required members besides `user`. */
type ContextOption<Req, Extra> =
  Record<never, never> extends Extra
    ? { context?: ((req: Req) => Awaitable<Extra>) | undefined }
    : { context: (req: Req) => Awaitable<Extra> }

/** The options of every mount. */
export type MountOptions<Req, E extends object = Register> = SharedOptions<Req, E> &
  ContextOption<Req, Omit<E, 'user'>>

/** The options argument of a mount, optional if no option is required. */
export type OptionsArgument<O> = Record<never, never> extends O ? [options?: O] : [options: O]

/** `MountOptions` without type parameters. */
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
/** Checks the path of an endpoint for upgrades only, which may be the server's root. */
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

/** Whether a URL is a valid resource identifier (RFC 9728, 1.2). */
function isResource(value: string): boolean {
  const { protocol, search, hash, username } = new URL(value)
  return /^https?:$/.test(protocol) && search + hash + username === '' && !/[?#]/.test(value)
}

/**
 * For mounts that can't discover routes.
 * @throws TypeError if `routes` or `app` is given.
 */
export function assertNoRoutes(options: object): void {
  for (const name of ['routes', 'app']) {
    if ((options as Record<string, unknown>)[name] === undefined) continue
    throw new TypeError(
      `\`${name}\` only works in mounts that discover routes: mcp-router/express, mcp-router/fastify and mcp-router/koa. ` +
        'Here, use addOpenApi() of mcp-router/openapi to turn routes into tools.',
    )
  }
}

/** The table of mount options, for mounts that add options of their own. */
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

/** The paths of the endpoint below the mount point. */
export function pathsOf({ path = '/mcp' }: Pick<AnyMountOptions, 'path'>): readonly string[] {
  return typeof path === 'string' ? [path] : path
}

/**
 * Checks that the resource for tokens is configured, rather than derived from a request header.
 * @throws TypeError if `auth` is given without `publicUrl` and `allowedHosts`, except in development.
 */
export function assertResourceKnown(
  owner: string,
  { auth, publicUrl, allowedHosts }: Pick<AnyMountOptions, 'auth' | 'publicUrl' | 'allowedHosts'>,
): void {
  if (auth === undefined || publicUrl !== undefined || allowedHosts !== undefined || isDevelopment()) return
  throw new TypeError(
    `${owner}: expected \`publicUrl\` (or \`allowedHosts\`) with \`auth\`, since tokens are issued for it; got none. ` +
      'On your own machine, NODE_ENV=development works without it.',
  )
}

/**
 * Checks mount options.
 * @throws TypeError with the option, the expected value and the given one.
 */
export function checkMountOptions(options: AnyMountOptions): void {
  checkOptions('mcp()', options, mountOptionTable)
  assertResourceKnown('mcp()', options)
  const { legacySse, auth, publicUrl } = options
  if (auth !== undefined && publicUrl !== undefined && !isResource(publicUrl)) {
    throw new TypeError(
      `mcp(): expected \`publicUrl\` to name a resource: an http or https URL without query and fragment; got ${publicUrl}`,
    )
  }
  const legacyPaths = typeof legacySse === 'object' ? [legacySse.sse, legacySse.message] : []
  const duplicate = legacyPaths.find((one) => one !== undefined && pathsOf(options).includes(one))
  if (duplicate !== undefined)
    throw new TypeError(
      `mcp(): expected \`legacySse\` to name other paths than the endpoint's; got ${duplicate}`,
    )
}
