/** What a client tells, for tracers. */

import { metaOf, versionKey } from '../protocol/meta.js'
import { assumedVersion } from '../protocol/revisions.js'
import type { JsonRpcNotification } from '../protocol/types.js'
import type { Peer } from '../request/peer.js'
import type { Core } from '../server/core.js'
import { keyOf } from '../sessions/sessions.js'
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
  core: Core,
  message: JsonRpcNotification,
  peer: Peer,
  accept: () => void,
): void {
  const watched = core.tracer && begin(core, () => operationOf(core, message, peer))
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

function operationOf(core: Core, { method, params }: JsonRpcNotification, peer: Peer): Operation {
  const { sessionId, protocolVersion } = peer.negotiated()
  const meta = metaOf(params)
  const version = meta?.[versionKey] ?? protocolVersion
  return {
    by: 'client',
    method: notices.has(method) ? method : undefined,
    requestId: undefined,
    protocolVersion:
      core.supportedRevisions.find((one) => one.version === version)?.version ?? assumedVersion,
    sessionKey: sessionId === undefined ? undefined : keyOf(sessionId),
    uri: undefined,
    meta: meta ?? {},
    request: peer.request,
    tool: nothing,
    prompt: nothing,
  }
}

const nothing = (): undefined => undefined
