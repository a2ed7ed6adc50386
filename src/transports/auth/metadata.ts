/** Protected-resource metadata (RFC 9728): public, for pages of every origin, and without a token. */

import type { McpError } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import { coreOf, type McpRouter } from '../../server/router.js'
import type { OriginGuard } from '../http/origins.js'
import { notAllowed } from '../http/refusals.js'
import type { Endpoint, HttpRequest, HttpResponse } from '../http/shapes.js'
import type { AuthOptions } from './auth-options.js'
import { type ProtectedResource, wellKnown } from './protected-resource.js'

/** One protected endpoint of a router, as its metadata has it. */
export interface DescribedMount {
  readonly resource: ProtectedResource
  readonly origins: OriginGuard
  readonly options: AuthOptions
  /** For people. */
  readonly name: string
}

interface RouterMetadata {
  /** The mounts that check tokens. */
  readonly described: DescribedMount[]
  /** Whether the root of the host serves their metadata. */
  atRoot: boolean
}

const ofRouters = new WeakMap<Core, RouterMetadata>()

export function metadataOf(core: Core): RouterMetadata {
  const metadata = ofRouters.get(core) ?? { described: [], atRoot: false }
  ofRouters.set(core, metadata)
  return metadata
}

/** The metadata of the mounts of one router at the host root, where these are under a prefix: `mcpMetadata(router)`. */
export class MetadataHandler {
  readonly #described: readonly DescribedMount[]

  /** @throws TypeError for what is no router. */
  constructor(router: McpRouter<never> | McpRouter<object>) {
    const metadata = metadataOf(coreOf(router))
    metadata.atRoot = true
    this.#described = metadata.described
  }

  /** As `HttpHandler.route`: `undefined` when the address is not that of a mount's metadata. */
  route(mountPath: string, path: string): Endpoint | undefined {
    return this.#find(mountPath + path) === undefined ? undefined : 'metadata'
  }

  /** Never throws. */
  handle(request: HttpRequest): HttpResponse {
    const [path = ''] = request.url.split('?')
    const found = this.#find(path.slice(Math.max(0, path.indexOf(wellKnown))))
    return found === undefined ? notFound() : answerMetadata(found, request)
  }

  #find(path: string): DescribedMount | undefined {
    return this.#described.find(({ resource }) => resource.describedAt(path))
  }
}

/** Never throws. */
export function answerMetadata(described: DescribedMount, request: HttpRequest): HttpResponse {
  try {
    described.origins.checkHost(request)
    return answer(described, request)
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

function answer(described: DescribedMount, request: HttpRequest): HttpResponse {
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

/** What follows from the host that was asked for is nothing for a cache. */
function json(status: number, value: object, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...cors, ...headers },
    body: JSON.stringify(value),
  }
}
