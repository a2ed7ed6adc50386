/** `logging/setLevel`: what a legacy client wants to hear, remembered for its session. */

import { loggingLevels } from '../protocol/logging-levels.js'
import { invalidParams } from '../protocol/params.js'
import type { LoggingLevel, Result } from '../protocol/types.js'
import { describe } from '../support/values.js'
import type { MethodExchange } from './services.js'

/** Without a session or a connection there is nothing to remember it for: the level stays the router's. */
export async function setLevel({ services, params, sessionId, peer }: MethodExchange): Promise<Result> {
  const level = assertLevel(params.level)
  if (sessionId !== undefined) await services.sessions?.setLogLevel(sessionId, level)
  if (peer.scope !== undefined) services.callerLevels.set(peer.scope, level)
  return {}
}

export function assertLevel(level: unknown): LoggingLevel {
  if (loggingLevels.includes(level as LoggingLevel)) return level as LoggingLevel
  throw invalidParams(`expected the level to be one of ${loggingLevels.join(', ')}; got ${describe(level)}`)
}
