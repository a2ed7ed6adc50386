/** Auxiliary endpoints: health, the 2024-11-05 SSE transport, the explorer's API. */

import { ErrorCode, refusal } from '../../errors/errors.js'
import type { Core } from '../../server/core.js'
import type { StoreStatus } from '../../store/store.js'
import { activityResponse, toolRoutesResponse } from '../explorer/activity.js'
import type { Explorer } from '../explorer/explorer.js'
import type { LegacySse } from '../legacy-sse/legacy-sse.js'
import type { PeerOptions } from './http-peer.js'
import { type CorsOption, type OriginGuard, preflight } from './origins.js'
import { notAllowed } from './refusals.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

export interface AuxiliaryEndpointsParts {
  readonly peers: PeerOptions
  readonly legacySse: LegacySse
  readonly explorer: Explorer | undefined
  readonly origins: OriginGuard
  readonly cors: CorsOption | undefined
}

export class AuxiliaryEndpoints {
  readonly #parts: AuxiliaryEndpointsParts

  constructor(parts: AuxiliaryEndpointsParts) {
    this.#parts = parts
  }

  async respond(request: HttpRequest): Promise<HttpResponse> {
    const { peers, legacySse, cors } = this.#parts
    const { endpoint, method } = request
    if (endpoint === 'health') return health(peers.core, request)
    if (method === 'OPTIONS' && cors !== undefined) return preflight(request)
    if (endpoint === 'sse' && method === 'GET') return legacySse.open(request)
    if (endpoint === 'message' && method === 'POST') return legacySse.post(request)
    if (endpoint === 'explorer' || endpoint === 'activity' || endpoint === 'routes')
      return this.#respondExplorer(request)
    const allow = [endpoint === 'sse' ? 'GET' : 'POST', ...(cors !== undefined ? ['OPTIONS'] : [])]
    throw notAllowed(allow.join(', '), method)
  }

  #respondExplorer(request: HttpRequest): Promise<HttpResponse> {
    const { peers, explorer, origins } = this.#parts
    const { endpoint, method } = request
    const { recentCalls } = peers.core
    if (recentCalls !== undefined && explorer?.isOpenFor(request)) {
      if (endpoint === 'activity') return activityResponse(request, { peers, origins, recentCalls })
      if (endpoint === 'routes' && method === 'GET') return toolRoutesResponse(request, peers)
    }
    throw refusal(ErrorCode.InvalidRequest, 'Not found', { status: 404 })
  }
}

/**
 * `GET <path>/health`. Responds with 503 while the server closes. If the store is unavailable, the body says so, but the
 * status is still 200: plain calls don't need the store, and a load balancer shouldn't take the machine out.
 */
export async function health(
  { info, inFlight, counts, store }: Core,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw notAllowed('GET, HEAD', request.method)
  }
  const storeState = store.status && storeHealth(await store.status())
  const status = inFlight.closing ? 'closing' : (storeState?.status ?? 'ok') === 'ok' ? 'ok' : 'degraded'
  const body = {
    status,
    server: info.name,
    version: info.version,
    running: inFlight.size,
    ...counts,
    ...(storeState !== undefined && { store: storeState }),
  }
  return {
    status: inFlight.closing ? 503 : 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
  }
}

interface StoreHealth extends Partial<StoreStatus> {
  readonly status: 'ok' | 'away'
}

function storeHealth({ lagMs, gaps }: StoreStatus): StoreHealth {
  return { status: lagMs === undefined ? 'away' : 'ok', lagMs, gaps }
}
