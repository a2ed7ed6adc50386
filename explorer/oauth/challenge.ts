/** What a 401 or 403 says of how to come in (RFC 6750, section 3; RFC 9728, section 5.1). */

export interface Challenge {
  readonly error: string | undefined
  readonly metadataUrl: string | undefined
  readonly scopes: readonly string[]
}

/** `undefined` for answers that ask for no token. */
export function challengeOf({ status, headers }: Response): Challenge | undefined {
  const text = headers.get('www-authenticate') ?? ''
  if (![401, 403].includes(status) || !/\bbearer\b/i.test(text)) return undefined
  const said = new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  return {
    error: said.get('error'),
    metadataUrl: said.get('resource_metadata'),
    scopes: (said.get('scope') ?? '').split(' ').filter(Boolean),
  }
}
