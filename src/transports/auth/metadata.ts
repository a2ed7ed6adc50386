/** Protected resource metadata (RFC 9728). It's public: no token is needed, and pages of every origin may read it. */

import type { McpError } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import type { OriginGuard } from '../http/origins.js'
import { notAllowed } from '../http/refusals.js'
import type { Endpoint, HttpRequest, HttpResponse } from '../http/shapes.js'
import type { AuthOptions } from './auth-options.js'
import { type ProtectedResource, wellKnown } from './protected-resource.js'

/** A protected endpoint of a router, as described by its metadata. */
export interface DescribedMount {
  readonly resource: ProtectedResource
  readonly origins: OriginGuard
  readonly options: AuthOptions
  /** A display name. */
  readonly name: string
}

interface RouterMetadata {
  /** The mounts that verify tokens. */
  readonly described: DescribedMount[]
  /** Whether the root of the host serves their metadata. */
  atRoot: boolean
}

const metadataByRouter = new WeakMap<Core, RouterMetadata>()

export function metadataOf(core: Core): RouterMetadata {
  const metadata = metadataByRouter.get(core) ?? { described: [], atRoot: false }
  metadataByRouter.set(core, metadata)
  return metadata
}

/** Serves the metadata of a router's mounts at the host root, for mounts under a prefix: `mcpMetadata(router)`. */
export class MetadataHandler {
  readonly #described: readonly DescribedMount[]

  /** @throws TypeError if `router` isn't an `McpRouter`. */
  constructor(router: McpRouter<never> | McpRouter<object>) {
    const metadata = metadataOf(coreOf(router))
    metadata.atRoot = true
    this.#described = metadata.described
  }

  /** Like `HttpHandler.route`: returns `undefined` for an address without metadata. */
  route(mountPath: string, path: string): Endpoint | undefined {
    return this.#find(mountPath + path) === undefined ? undefined : 'metadata'
  }

  /** Responds with the metadata, or 404. Never throws. */
  handle(request: HttpRequest): HttpResponse {
    const [path = ''] = request.url.split('?')
    const found = this.#find(path.slice(Math.max(0, path.indexOf(wellKnown))))
    return found === undefined ? notFound() : metadataResponse(found, request)
  }

  #find(path: string): DescribedMount | undefined {
    return this.#described.find(({ resource }) => resource.hasMetadataAt(path))
  }
}

/** The response with a mount's metadata. Never throws. */
export function metadataResponse(described: DescribedMount, request: HttpRequest): HttpResponse {
  try {
    described.origins.checkHost(request)
    return respond(described, request)
  } catch (error) {
    const { http, message } = error as McpError
    return json(
      http?.status ?? 500,
      { error: http === undefined ? 'Internal error' : message },
      http?.headers,
    )
  }
}

const methods = 'GET, HEAD, OPTIONS'

function respond(described: DescribedMount, request: HttpRequest): HttpResponse {
  const { method } = request
  if (method === 'OPTIONS') return { status: 204, headers: { ...cors, ...preflight }, body: undefined }
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(methods, method)
  const { resource, options, name } = described
  const url = resource.urlOf(request)
  if (url === undefined) return notFound()
  const document = {
    resource: url,
    authorization_servers: options.authorizationServers,
    scopes_supported: options.scopesSupported,
    bearer_methods_supported: ['header'],
    resource_name: name,
  }
  return json(200, document, resource.isFixed ? { 'Cache-Control': 'public, max-age=3600' } : {})
}

const cors = { 'Access-Control-Allow-Origin': '*' }
const preflight = {
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': 'Accept, Content-Type, MCP-Protocol-Version',
  'Access-Control-Max-Age': '86400',
}

function notFound(): HttpResponse {
  return json(404, { error: 'Not found' }, {})
}

/** A JSON response, not cacheable by default, because metadata may depend on the `Host` header. */
function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...cors, ...headers },
    body: JSON.stringify(value),
  }
}
