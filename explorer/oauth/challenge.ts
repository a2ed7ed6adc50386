/** Parses the `Bearer` challenge of a 401 or 403 (RFC 6750, section 3; RFC 9728, section 5.1). */

export interface Challenge {
  readonly error: string | undefined
  readonly metadataUrl: string | undefined
  readonly scopes: readonly string[]
}

/** Returns the challenge, or `undefined` if the response doesn't ask for a token. */
export function challengeOf({ status, headers }: Response): Challenge | undefined {
  const text = headers.get('www-authenticate') ?? ''
  if (![401, 403].includes(status) || !/\bbearer\b/i.test(text)) return undefined
  const parameters = new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  return {
    error: parameters.get('error'),
    metadataUrl: parameters.get('resource_metadata'),
    scopes: (parameters.get('scope') ?? '').split(' ').filter(Boolean),
  }
}
