/** Reads the bearer token of a request (RFC 6750, 2.1): from the header alone, never from the URL. */

import type { Challenge } from '../../errors/errors.js'
import { isScope } from '../../support/check-options.js'
import type { HttpRequest } from '../http/shapes.js'

/** `none`: no token was sent; `malformed`: what was sent can be none. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Longer ones are not worth a look. */
const longestToken = 16 * 1024

const scheme = /^bearer(?: |$)/i
/** RFC 6750, `b64token`. Several headers arrive joined by a comma, which it has not. */
const b64token = /^[A-Za-z0-9._~+/-]+=*$/
const inQuery = /[?&]access_token=/i

const none: Credentials = { kind: 'none' }

export function readCredentials(request: HttpRequest): Credentials {
  const header = request.header('authorization')?.trim()
  if (header === undefined || !scheme.test(header)) {
    return inQuery.test(request.url) ? malformed('it was in the URL, where it is never read') : none
  }
  const token = header.slice('bearer'.length).trim()
  if (token === '') return malformed('it is empty')
  if (token.length > longestToken) return malformed(`it is longer than ${longestToken} characters`)
  if (!b64token.test(token)) return malformed('it has characters that no token has, or is not the only one')
  return { kind: 'token', token }
}

function malformed(reason: string): Credentials {
  return { kind: 'malformed', reason }
}

/** What verifiers and `Host` headers bring in must not end a quoted text, or the header. */
const unquotable = /[^ !#-[\]-~]/g

export function challengeText(metadataUrl: string | undefined, challenge: Challenge): string {
  const { error, description, scopes = [] } = challenge
  const named = [...new Set(scopes)].filter((scope) => isScope(scope) && scope !== 'offline_access')
  const parameters = {
    error,
    error_description: description,
    scope: named.length === 0 ? undefined : named.join(' '),
    resource_metadata: metadataUrl,
  }
  const said = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const text = said.map(([name, value]) => `${name}="${value?.replace(unquotable, '')}"`).join(', ')
  return text === '' ? 'Bearer' : `Bearer ${text}`
}
