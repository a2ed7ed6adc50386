/** What a load balancer and people who are woken at night want to know: `GET <path>/health`. */

import type { Core } from '../../server/core.js'
import type { StoreStatus } from '../../store/store.js'
import { notAllowed } from './refusals.js'
import type { HttpRequest, HttpResponse } from './shapes.js'

/**
 * 503 while closing. A store that is away is told and is still 200: plain calls are served without it, and a machine
 * that is taken out for it would take them along.
 */
export async function health(
  { info, inFlight, counts, store }: Core,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw notAllowed('GET, HEAD', request.method)
  }
  const told = store.status && storeHealth(await store.status())
  const status = inFlight.closing ? 'closing' : (told?.status ?? 'ok') === 'ok' ? 'ok' : 'degraded'
  const body = {
    status,
    server: info.name,
    version: info.version,
    running: inFlight.size,
    ...counts,
    ...(told !== undefined && { store: told }),
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
