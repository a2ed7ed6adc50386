/** The public keys of an issuer: fetched when the first token comes, cached, and fetched again for unknown key ids. */

import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { BackOff, type BackOffRules } from './back-off.js'
import { fetchJson, fetchText, UnusableResponse } from './bounded-fetch.js'
import { isSecure } from './checks.js'

/** No failures are tolerated, since a token can't cause one here. */
const rules: BackOffRules = { toleratedFailures: 0, longestMs: 30_000 }

export interface RemoteKeysOptions {
  readonly issuer: string
  readonly jwksUri: string | undefined
  readonly keysMaxAgeMs: number
  readonly keysCooldownMs: number
  readonly timeoutMs: number
}

/**
 * Creates a function that finds the key of a token. It rejects with an error of `jose` if no key matches, and with
 * another error if the keys can't be fetched.
 */
export function remoteKeys(options: RemoteKeysOptions): JWTVerifyGetKey {
  const { issuer, jwksUri, timeoutMs } = options
  let keySetPromise: Promise<JWTVerifyGetKey> | undefined
  const backOff = new BackOff(rules)

  const discover = async (): Promise<JWTVerifyGetKey> =>
    keySet(await backOff.run(() => findJwksUri(issuer, timeoutMs)), options)
  const keys = (): Promise<JWTVerifyGetKey> => {
    if (keySetPromise !== undefined) return keySetPromise
    const promise = jwksUri === undefined ? discover() : Promise.resolve(keySet(jwksUri, options))
    promise.catch(() => {
      keySetPromise = undefined
    })
    keySetPromise = promise
    return promise
  }

  return async (header, token) => {
    const keyOf = await keys()
    return keyOf(header, token)
  }
}

/**
 * Creates the key set of one URL. `jose` measures the age of keys with the system clock: if that's set back, a revoked key
 * would stay valid. So the limits of `jose` are off, and this function measures ages with the monotonic clock.
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

/** Returns `jwks_uri` of the issuer's metadata. @throws Error if there's no metadata, or it's for a different issuer. */
export async function findJwksUri(issuer: string, timeoutMs: number): Promise<string> {
  const metadata = await fetchMetadata(issuer, timeoutMs)
  // RFC 8414, 3.3: metadata that names a different issuer must not be used.
  if (metadata.issuer !== issuer)
    throw new Error(
      `expected the metadata of ${issuer} to have this \`issuer\`; got ${String(metadata.issuer)}`,
    )
  const { jwks_uri: jwksUri } = metadata
  if (typeof jwksUri !== 'string' || !isSecure(jwksUri))
    throw new Error(`expected the metadata of ${issuer} to have a \`jwks_uri\` that is an https URL`)
  return jwksUri
}

async function fetchMetadata(issuer: string, timeoutMs: number): Promise<Record<string, unknown>> {
  const failures: unknown[] = []
  for (const url of metadataUrls(issuer)) {
    try {
      return await fetchJson(url, { signal: AbortSignal.timeout(timeoutMs) })
    } catch (error) {
      // A server that can't be reached at one URL can't be reached at the others. Some sites send a page for unknown URLs.
      if (!(error instanceof UnusableResponse)) throw error
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `${issuer} has no metadata: ${failures.map(String).join(', ')}`)
}

/** Returns the URLs of an issuer's metadata, in the order in which MCP clients try them. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return path === '' ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`]
}
