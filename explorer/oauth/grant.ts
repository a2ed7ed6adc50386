/** The tokens of a sign-in, kept in memory only: an access token, and maybe a refresh token. */

import type { Identity } from '../identity.js'
import { type Document, fetchJson } from './fetching.js'

/** The server that issued the tokens, and the resource that they are for. */
export interface GrantSource {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly resource: string
  /** The requested scopes. */
  readonly scopes: readonly string[]
}

/** How long before its expiry a token is renewed. Milliseconds. */
const renewBeforeMs = 10_000

export class Grant implements Identity {
  readonly name: string
  readonly scopes: readonly string[]
  readonly #source: GrantSource
  #tokens: Tokens
  /** The renewal in progress, shared by all requests that wait for it. */
  #renewing: Promise<boolean> | undefined

  constructor(source: GrantSource, tokens: Tokens) {
    this.name = `at ${new URL(source.issuer).host}`
    this.scopes = tokens.scopes ?? source.scopes
    this.#source = source
    this.#tokens = tokens
  }

  async authorization(): Promise<string> {
    const { expiresAt, refresh } = this.#tokens
    if (refresh !== undefined && expiresAt - renewBeforeMs < Date.now()) await this.renew()
    return `Bearer ${this.#tokens.access}`
  }

  renew(): Promise<boolean> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Uses the refresh token (RFC 6749, section 6). */
  async #renew(): Promise<boolean> {
    const { refresh } = this.#tokens
    if (refresh === undefined) return false
    const { clientId, resource, tokenEndpoint } = this.#source
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId, resource }
    const response = await fetchJson(tokenEndpoint, {
      method: 'POST',
      body: new URLSearchParams(form),
    }).catch(() => undefined)
    const tokens = response?.ok ? parseTokens(response.body) : undefined
    if (tokens !== undefined) this.#tokens = { ...tokens, refresh: tokens.refresh ?? refresh }
    // A refusal is final. After a server error, the refresh token may still work.
    else if (response !== undefined && response.status < 500)
      this.#tokens = { ...this.#tokens, refresh: undefined }
    return tokens !== undefined
  }
}

interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly scopes: readonly string[] | undefined
}

/** Parses a token response. Returns `undefined` without a bearer token. */
export function parseGrant(body: Document, source: GrantSource): Grant | undefined {
  const tokens = parseTokens(body)
  return tokens && new Grant(source, tokens)
}

/** Parses the tokens of a response (RFC 6749, section 5.1). */
function parseTokens({ access_token: access, token_type: type, ...rest }: Document): Tokens | undefined {
  if (typeof access !== 'string' || !/^bearer$/i.test(String(type))) return undefined
  const { refresh_token: refresh, expires_in: seconds, scope } = rest
  return {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    expiresAt: typeof seconds === 'number' ? Date.now() + seconds * 1_000 : Number.POSITIVE_INFINITY,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : undefined,
  }
}
