/** Cross-origin answers for browser clients: preflight and exposed headers, off unless asked for. */

import type { HttpRequest, HttpResponse } from './shapes.js'

/** `true`: the allowed origins; a list: these too; `'*'`: every origin, without credentials. */
export type CorsOption = boolean | string | readonly string[]

const methods = 'POST, GET, DELETE, OPTIONS'
const exposed = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
const allowed = [
  'Content-Type',
  'Accept',
  'Authorization',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
].join(', ')

/** The origins that a `cors` option adds to the allowed ones. */
export function corsOrigins(cors: CorsOption | undefined): readonly string[] {
  if (typeof cors === 'string') return cors === '*' ? [] : [cors]
  return typeof cors === 'object' ? cors : []
}

/** The headers for one origin that was already found to be allowed. */
export function corsHeaders(cors: CorsOption, origin: string): Record<string, string> {
  const shared = { 'Access-Control-Expose-Headers': exposed }
  if (cors === '*') return { 'Access-Control-Allow-Origin': '*', ...shared }
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
    ...shared,
  }
}

export function preflight(request: HttpRequest): HttpResponse {
  const asked = request.header('access-control-request-headers') ?? ''
  // A wildcard does not work with credentials, so concrete Mcp-Param-* names are allowed as they are asked for.
  const mirrored = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w!#$%&'*+.^`|~-]+$/i.test(name))
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': [allowed, ...mirrored].join(', '),
      'Access-Control-Max-Age': '86400',
    },
    body: undefined,
  }
}
