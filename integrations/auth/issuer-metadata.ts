/** Finds the keys of an issuer in its metadata: RFC 8414, and OpenID Connect Discovery. */

import { fetchJson, UnusableAnswer } from './bounded-fetch.js'
import { isSecure } from './checks.js'

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
