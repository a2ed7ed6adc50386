/** The public keys of an issuer: fetched when the first token comes, kept, and fetched again for unknown key ids. */

import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { BackOff, type BackOffRules } from './back-off.js'
import { fetchJson, fetchText, UnusableAnswer } from './bounded-fetch.js'
import { isSecure } from './checks.js'

/** No token is to blame for these failures. */
const rules: BackOffRules = { patience: 0, longestMs: 30_000 }

export interface RemoteKeysOptions {
  readonly issuer: string
  readonly jwksUri: string | undefined
  readonly keysMaxAgeMs: number
  readonly keysCooldownMs: number
  readonly timeoutMs: number
}

/**
 * Finds the key of a token. It rejects with an error of `jose` where the keys are there and none fits, and with another
 * one where they cannot be had.
 */
export function remoteKeys(options: RemoteKeysOptions): JWTVerifyGetKey {
  const { issuer, jwksUri, timeoutMs } = options
  let found: Promise<JWTVerifyGetKey> | undefined
  const backOff = new BackOff(rules)

  const find = async (): Promise<JWTVerifyGetKey> =>
    keySet(await backOff.run(() => findJwksUri(issuer, timeoutMs)), options)
  const keys = (): Promise<JWTVerifyGetKey> => {
    if (found !== undefined) return found
    const finding = jwksUri === undefined ? find() : Promise.resolve(keySet(jwksUri, options))
    finding.catch(() => {
      found = undefined
    })
    found = finding
    return finding
  }

  return async (header, token) => {
    const keyOf = await keys()
    return keyOf(header, token)
  }
}

/**
 * `jose` has ages of its own, by the time of day: where that is put back, a key that was taken away would live on. They are
 * counted here, by a clock that nobody sets.
 */
function keySet(jwksUri: string, options: RemoteKeysOptions): JWTVerifyGetKey {
  const { timeoutMs, keysMaxAgeMs, keysCooldownMs } = options
  const keys = createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: timeoutMs,
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: async (url, init) => new Response(await fetchText(url, init)),
  })
  let fetchedAt = Number.NEGATIVE_INFINITY
  const age = (): number => performance.now() - fetchedAt
  const backOff = new BackOff(rules)
  const reload = (): Promise<void> =>
    backOff.run(async () => {
      await keys.reload()
      fetchedAt = performance.now()
    })

  return async (header, token) => {
    if (age() >= keysMaxAgeMs) await reload()
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || age() < keysCooldownMs) throw error
      await reload()
      return keys(header, token)
    }
  }
}

/** @throws where no metadata is found, or it is not that of `issuer`. */
export async function findJwksUri(issuer: string, timeoutMs: number): Promise<string> {
  const metadata = await fetchMetadata(issuer, timeoutMs)
  // RFC 8414, 3.3: metadata that speaks of another issuer must not be used.
  if (metadata.issuer !== issuer)
    throw new Error(`The metadata of ${issuer} is that of ${String(metadata.issuer)}`)
  const { jwks_uri: jwksUri } = metadata
  if (typeof jwksUri !== 'string' || !isSecure(jwksUri))
    throw new Error(`The metadata of ${issuer} has no \`jwks_uri\` that is an https URL`)
  return jwksUri
}

async function fetchMetadata(issuer: string, timeoutMs: number): Promise<Record<string, unknown>> {
  const useless: unknown[] = []
  for (const address of addressesOf(issuer)) {
    try {
      return await fetchJson(address, { signal: AbortSignal.timeout(timeoutMs) })
    } catch (error) {
      // A server that cannot be reached at one address cannot at the others. Sites answer unknown ones with a page.
      if (!(error instanceof UnusableAnswer)) throw error
      useless.push(error)
    }
  }
  throw new AggregateError(useless, `${issuer} has no metadata: ${useless.map(String).join(', ')}`)
}

/** In the order in which MCP clients look. */
function addressesOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return path === '' ? addresses : [...addresses, `${origin}${path}/.well-known/openid-configuration`]
}
