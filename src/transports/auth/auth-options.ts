/** The mount option `auth`: the endpoint as an OAuth 2.1 protected resource. */

import type { Awaitable, RequestInfo } from '../../definitions/context.js'
import type { Auth } from '../../protocol/identity.js'
import {
  aBoolean,
  aFunction,
  arrayOf,
  type Check,
  expected,
  milliseconds,
  nested,
  scopeNames,
} from '../../support/check-options.js'
import { isLoopbackName } from '../http/origins.js'

/** Who a token was issued for, and what it allows. */
export interface Principal extends Omit<Auth, 'token'> {
  /** Seconds since 1970, as `exp` of a JWT. */
  readonly expiresAt?: number | undefined
}

/** What a token is shown for. */
export interface TokenUse {
  /** The identifier of this resource, which must be the audience of the token. */
  readonly resource: string
  readonly request: RequestInfo
}

/**
 * Checks a token: signature or introspection, issuer, lifetime, audience.
 * @throws a 401 (`UnauthorizedError`, or any error with that `status`) where the token is at fault, a 403 where its
 * holder may not come in, a 503 where nothing can be known of it. Everything else counts as a fault of the server.
 */
export type TokenVerifier = (token: string, use: TokenUse) => Awaitable<Principal>

/** The option `auth` of a mount: which tokens it takes, and from whom. */
export interface AuthOptions {
  /** Where clients get tokens: the issuers' URLs, at least one. */
  readonly authorizationServers: readonly string[]
  /** The scopes that clients should ask for at first. */
  readonly scopesSupported?: readonly string[] | undefined
  readonly verify: TokenVerifier
  /** Which tenant a token belongs to; goes before what `verify` says. */
  readonly tenant?: ((claims: Readonly<Record<string, unknown>>) => unknown) | undefined
  /** Default false. True: requests without a token pass, without `ctx.auth`. */
  readonly optional?: boolean | undefined
  /**
   * How long the verdict on a token holds, in milliseconds; never longer than the token lives. Default 10,000; 0: every
   * request is verified by itself, for a `verify` that looks at more of it than the token.
   */
  readonly cacheMs?: number | undefined
}

const anIssuer: Check = expected(
  'an https URL such as https://login.example.com, or http on this machine',
  (value) => typeof value === 'string' && isIssuer(value),
)

function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, host, search, hash } = new URL(value)
  if (search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(host))
}

const known = {
  authorizationServers: arrayOf(anIssuer),
  scopesSupported: scopeNames,
  verify: aFunction,
  tenant: aFunction,
  optional: aBoolean,
  cacheMs: milliseconds,
}
const checkAll = nested(known, ['authorizationServers', 'verify'])

export const anAuthOption: Check = (value, what) => {
  checkAll(value, what)
  const { authorizationServers } = value as AuthOptions
  if (authorizationServers.length === 0)
    throw new TypeError(`${what} to name at least one of \`authorizationServers\`; got none`)
}
