/** What signing in brought: a token, in memory alone, and perhaps the means to get the next one. */

import type { Identity } from '../identity.js'
import { ask, type Document } from './fetching.js'

/** Where the tokens are from, and what for. */
export interface GrantSource {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly resource: string
  /** As asked for. */
  readonly scopes: readonly string[]
}

/** Before a token ends the next one is got. Milliseconds. */
const early = 10_000

export class Grant implements Identity {
  readonly name: string
  readonly scopes: readonly string[]
  readonly #source: GrantSource
  #tokens: Tokens
  /** One for all who wait. */
  #renewing: Promise<boolean> | undefined

  constructor(source: GrantSource, tokens: Tokens) {
    this.name = `at ${new URL(source.issuer).host}`
    this.scopes = tokens.scopes ?? source.scopes
    this.#source = source
    this.#tokens = tokens
  }

  async authorization(): Promise<string> {
    const { endsAt, refresh } = this.#tokens
    if (refresh !== undefined && endsAt - early < Date.now()) await this.renew()
    return `Bearer ${this.#tokens.access}`
  }

  renew(): Promise<boolean> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** RFC 6749, section 6. */
  async #renew(): Promise<boolean> {
    const { refresh } = this.#tokens
    if (refresh === undefined) return false
    const { clientId, resource, tokenEndpoint } = this.#source
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId, resource }
    const answered = await ask(tokenEndpoint, { method: 'POST', body: new URLSearchParams(form) }).catch(
      () => undefined,
    )
    const tokens = answered?.ok ? tokensIn(answered.body) : undefined
    if (tokens !== undefined) this.#tokens = { ...tokens, refresh: tokens.refresh ?? refresh }
    // Who says no means it; who cannot answer may do so the next time.
    else if (answered !== undefined && answered.status < 500)
      this.#tokens = { ...this.#tokens, refresh: undefined }
    return tokens !== undefined
  }
}

interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  /** Milliseconds since 1970. */
  readonly endsAt: number
  readonly scopes: readonly string[] | undefined
}

/** `undefined` for what holds no bearer token. */
export function grantIn(body: Document, source: GrantSource): Grant | undefined {
  const tokens = tokensIn(body)
  return tokens && new Grant(source, tokens)
}

/** RFC 6749, section 5.1. */
function tokensIn({ access_token: access, token_type: type, ...rest }: Document): Tokens | undefined {
  if (typeof access !== 'string' || !/^bearer$/i.test(String(type))) return undefined
  const { refresh_token: refresh, expires_in: seconds, scope } = rest
  return {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    endsAt: typeof seconds === 'number' ? Date.now() + seconds * 1_000 : Number.POSITIVE_INFINITY,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : undefined,
  }
}
