/** The explorer's API: recent calls (`GET` and `DELETE <path>/activity`) and the routes of tools. */

import { assertUser, isVisibleTo } from '../../request/authorize.js'
import { isDevelopment } from '../../server/router-options.js'
import { reportHostFault } from '../../tracing/error-report.js'
import { type RecentCalls, viewerOf } from '../../tracing/recent-calls.js'
import { HttpPeer, type PeerOptions } from '../http/http-peer.js'
import type { OriginGuard } from '../http/origins.js'
import { notAllowed } from '../http/refusals.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'

export interface ActivityOptions {
  readonly peers: PeerOptions
  readonly origins: OriginGuard
  readonly recentCalls: RecentCalls
}

/**
 * Responds with the caller's own recent calls, or with everybody's for direct requests from this machine in development.
 * `DELETE` removes them. Throws 405 for other methods.
 */
export async function activityResponse(
  request: HttpRequest,
  { peers, origins, recentCalls }: ActivityOptions,
): Promise<HttpResponse> {
  const { method } = request
  if (!['GET', 'HEAD', 'DELETE'].includes(method)) {
    throw notAllowed('GET, HEAD, DELETE', method)
  }
  const peer = new HttpPeer(request, peers)
  const identity = await peer.resolveCallerWithTimeout()
  if (peers.core.requireUser) assertUser(identity, peer)
  const everybody = isDevelopment() && origins.isDirect(request)
  const owner = everybody ? undefined : viewerOf(identity, peer)
  if (method === 'DELETE') {
    recentCalls.clear(owner)
    return { status: 204, headers: {}, body: undefined }
  }
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ everybody, calls: recentCalls.list(owner) }),
  }
}

/** Responds with the method and path of every route tool that is visible to the caller, by tool name. */
export async function toolRoutesResponse(request: HttpRequest, peers: PeerOptions): Promise<HttpResponse> {
  const { core } = peers
  const peer = new HttpPeer(request, peers)
  const identity = await peer.resolveCallerWithTimeout()
  if (core.requireUser) assertUser(identity, peer)
  const found: Record<string, { method: string; path: string }> = {}
  for (const { name, entry } of core.registry.catalog().tool.items) {
    if (entry.route === undefined) continue
    const viewer = { identity, request }
    if (!isVisibleTo(entry, viewer, (error, owner) => reportHostFault(core, error, owner))) continue
    found[name] = { method: entry.route.method, path: entry.route.path }
  }
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(found),
  }
}
