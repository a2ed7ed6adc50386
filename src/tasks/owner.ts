/** Who a task belongs to: the caller who started it, and nobody else (specification, Tasks, Security). */

import { toBase64Url } from '../base64.js'
import { ErrorCode, refusal } from '../errors.js'
import type { Exchange } from '../exchange.js'
import { digestOf, ownerOf } from '../sessions/owner.js'
import type { Task } from './task.js'

/** `null`: an anonymous caller. Throws for a signed-in one whose id cannot be told. */
export function ownerDigest({ identity, peer }: Exchange): string | null {
  if (identity === undefined) return null
  const owner = ownerOf(identity, peer.userId)
  if (owner.kind === 'unknown') {
    throw new Error(
      'the signed-in caller has no `sub`, `id`, `_id` or `userId` to bind a task to; give the mount the option `userId`',
    )
  }
  const digest = digestOf(owner)
  return digest === undefined ? null : toBase64Url(digest)
}

/** Throws 403 for somebody else's task. */
export function assertOwner(exchange: Exchange, task: Task): void {
  if (task.owner === ownerDigest(exchange)) return
  exchange.core.log.warn('a task was refused: it belongs to another caller')
  throw refusal(ErrorCode.Forbidden, 'Forbidden: this task belongs to another caller', { status: 403 })
}
