/** The mount option `auth`, which makes the endpoint an OAuth 2.1 protected resource. */

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

/** The verified claims of a token: its subject and client, and its scopes. */
export interface Principal extends Omit<Auth, 'token'> {
  /** The expiry in seconds since 1970, like `exp` of a JWT. */
  readonly expiresAt?: number | undefined
}

/** The context in which a token is used. */
export interface TokenUse {
  /** The identifier of this resource, which must be the audience of the token. */
  readonly resource: string
  readonly request: RequestInfo
}

/**
 * Verifies a token: its signature (or by introspection), issuer, lifetime and audience.
 * @throws a 401 (`UnauthorizedError`, or any error with that `status`) if the token is invalid, a 403 if its holder has no
 * access, a 503 if the token can't be verified at the moment. Any other error counts as a fault of the server.
 */
export type TokenVerifier = (token: string, use: TokenUse) => Awaitable<Principal>

/** The option `auth` of a mount: which tokens it accepts, and which authorization servers issue them. */
export interface AuthOptions {
  /** The URLs of the authorization servers (issuers) that clients get tokens from. At least one. */
  readonly authorizationServers: readonly string[]
  /** The scopes that clients should request at first. */
  readonly scopesSupported?: readonly string[] | undefined
  /** Verifies every token, or once per `cacheMs`. */
  readonly verify: TokenVerifier
  /** Returns the tenant of a token from its claims. Takes precedence over `tenant` in the result of `verify`. */
  readonly tenant?: ((claims: Readonly<Record<string, unknown>>) => unknown) | undefined
  /** Whether requests without a token are allowed. They have no `ctx.auth`. Default false. */
  readonly optional?: boolean | undefined
  /**
   * Milliseconds that the result of `verify` is cached, at most until the token expires. Default 10,000. Use 0, which
   * verifies every request, if `verify` reads more of the request than the token.
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
