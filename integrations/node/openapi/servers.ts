/** Reads a document's `servers`, which decide only the prefix of its paths inside the app. */

import { isObject, type Json } from './document.js'

/** Returns the path of the first server, without a trailing slash: `/api/v1`. Ignores its host. */
export function serverPrefix({ servers }: Json): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (!isObject(server) || typeof server.url !== 'string') return ''
  const variables = isObject(server.variables) ? server.variables : {}
  const url = server.url.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : ''
  })
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/, '')
  const trimmed = path.replace(/^\/*/, '/').replace(/\/+$/, '')
  return trimmed
}
