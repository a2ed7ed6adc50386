/** The public keys of an issuer: fetched when the first token comes, kept, and fetched again for unknown key ids. */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { fetchText } from './bounded-fetch.js'
import { findJwksUri } from './issuer-metadata.js'

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

  const find = async (): Promise<JWTVerifyGetKey> => keySet(await findJwksUri(issuer, timeoutMs), options)
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

function keySet(jwksUri: string, options: RemoteKeysOptions): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: options.timeoutMs,
    cooldownDuration: options.keysCooldownMs,
    cacheMaxAge: options.keysMaxAgeMs,
    [customFetch]: async (url, init) => new Response(await fetchText(url, init)),
  })
}
