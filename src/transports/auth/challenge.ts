/** `WWW-Authenticate` as RFC 6750, section 3, and RFC 9728, section 5.1, have it. */

import type { Challenge } from '../../errors/challenge.js'
import { isScope } from '../../support/check-options.js'

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
