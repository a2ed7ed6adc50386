/** What a client tells, for tracers. */

import { metaOf, versionKey } from '../protocol/meta.js'
import { assumedVersion } from '../protocol/revisions.js'
import type { JsonRpcNotification } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import { keyOf } from '../sessions/sessions.js'
import type { TracingServices } from './services.js'
import { begin, ended, type Operation } from './tracer.js'

/** What clients tell servers, in any revision. Other words are the client's own. */
const notices: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
])

/** Takes note of a notification inside of the watch, where there is one. */
export function traceNotification(
  services: TracingServices,
  message: JsonRpcNotification,
  peer: Peer,
  accept: () => void,
): void {
  const watched = services.tracer && begin(services, () => operationOf(services, message, peer))
  if (watched === undefined) {
    accept()
    return
  }
  try {
    watched.within(accept)
  } finally {
    watched.end(() => ended('ok'))
  }
}

function operationOf(
  services: TracingServices,
  { method, params }: JsonRpcNotification,
  peer: Peer,
): Operation {
  const { sessionId, protocolVersion } = peer.negotiated()
  const meta = metaOf(params)
  const version = meta?.[versionKey] ?? protocolVersion
  return {
    by: 'client',
    method: notices.has(method) ? method : undefined,
    requestId: undefined,
    protocolVersion:
      services.supportedRevisions.find((one) => one.version === version)?.version ?? assumedVersion,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: undefined,
    meta: meta ?? {},
    request: peer.request,
    tool: nothing,
    prompt: nothing,
  }
}

const nothing = (): undefined => undefined
