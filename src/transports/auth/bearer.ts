/** Bearer tokens (RFC 6750): reads them from the `Authorization` header, never from the URL, and writes challenges. */

import type { Challenge } from '../../errors/errors.js'
import { isScope } from '../../support/check-options.js'
import type { HttpRequest } from '../http/shapes.js'

/** The credentials of a request: no token, a token, or a malformed one. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Longer tokens are refused without verification. */
const maxTokenLength = 16 * 1024

const scheme = /^bearer(?: |$)/i
/** RFC 6750, `b64token`. Several headers arrive joined by commas, which a token can't contain. */
const b64token = /^[A-Za-z0-9._~+/-]+=*$/
const inQuery = /[?&]access_token=/i

const none: Credentials = { kind: 'none' }

export function readCredentials(request: HttpRequest): Credentials {
  const header = request.header('authorization')?.trim()
  if (header === undefined || !scheme.test(header)) {
    return inQuery.test(request.url)
      ? malformed('it is in the URL; send it in the `Authorization` header')
      : none
  }
  const token = header.slice('bearer'.length).trim()
  if (token === '') return malformed('it is empty')
  if (token.length > maxTokenLength) return malformed(`it is longer than ${maxTokenLength} characters`)
  if (!b64token.test(token))
    return malformed('it has characters that are not allowed in a token, or the request has several tokens')
  return { kind: 'token', token }
}

function malformed(reason: string): Credentials {
  return { kind: 'malformed', reason }
}

/** Characters that must not come from verifiers or `Host` headers, because they could end a quoted string or the header. */
const unquotable = /[^ !#-[\]-~]/g

/** The value of a `WWW-Authenticate` header. */
export function challengeText(metadataUrl: string | undefined, challenge: Challenge): string {
  const { error, description, scopes = [] } = challenge
  const shownScopes = [...new Set(scopes)].filter((scope) => isScope(scope) && scope !== 'offline_access')
  const parameters = {
    error,
    error_description: description,
    scope: shownScopes.length === 0 ? undefined : shownScopes.join(' '),
    resource_metadata: metadataUrl,
  }
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const text = present.map(([name, value]) => `${name}="${value?.replace(unquotable, '')}"`).join(', ')
  return text === '' ? 'Bearer' : `Bearer ${text}`
}
