/** Which tools are existing routes of the app: `GET <path>/explorer/routes.json`, for the explorer. */

import { assertUser } from '../../request/authorize.js'
import { isVisibleTo } from '../../request/visibility.js'
import { reportHostFault } from '../../tracing/error-report.js'
import { HttpPeer, type PeerOptions } from '../http/http-peer.js'
import type { HttpRequest, HttpResponse } from '../http/shapes.js'

/** Method and path of each tool that the caller may know of, by the tool's name. */
export async function answerToolRoutes(request: HttpRequest, peers: PeerOptions): Promise<HttpResponse> {
  const { core } = peers
  const peer = new HttpPeer(request, peers)
  const identity = await peer.identifyInTime()
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
