/** Who a task belongs to: the caller who started it, and nobody else (specification, Tasks, Security). */

import { ErrorCode, refusal } from '../errors.js'
import type { Exchange } from '../exchange.js'
import { ownerDigest } from '../sessions/owner.js'
import type { Task } from './task.js'

/** Whom a task counts for. Anonymous callers without an address count as one. */
export function callerOf({ peer }: Exchange): string {
  return peer.callerKey ?? ''
}

/** Throws 403 for somebody else's task. */
export function assertOwner(exchange: Exchange, task: Task): void {
  if (task.owner === ownerDigest(exchange, 'a task')) return
  exchange.core.log.request.warn('a task was refused: it belongs to another caller')
  throw refusal(ErrorCode.Forbidden, 'Forbidden: this task belongs to another caller', { status: 403 })
}
