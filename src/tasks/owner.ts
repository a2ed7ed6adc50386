/** Who a task belongs to: the caller who started it, and nobody else (specification, Tasks, Security). */

import { ErrorCode, refusal } from '../errors/errors.js'
import { ownerDigest } from '../sessions/owner.js'
import type { TaskExchange } from './services.js'
import type { Task } from './task.js'

/** Digest of what a task of an anonymous caller counts by. It goes to the store, which is not told the address. */
export function networkOf({ services, peer }: TaskExchange): string | undefined {
  const { callerKey } = peer
  return callerKey === undefined ? undefined : services.tokens.digest(callerKey)
}

/** Throws 403 for somebody else's task. */
export function assertOwner(exchange: TaskExchange, task: Task): void {
  if (task.owner === ownerDigest(exchange, 'a task')) return
  exchange.services.log.request.warn('a task was refused: it belongs to another caller')
  throw refusal(ErrorCode.Forbidden, 'Forbidden: this task belongs to another caller', { status: 403 })
}
