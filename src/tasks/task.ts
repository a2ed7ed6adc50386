/** A task as it is kept, and as each era writes it. */

import type { InputRequest } from '../client-requests/client-request.js'
import { ErrorCode, refusal } from '../errors/errors.js'
import type { JsonRpcErrorObject, Result } from '../protocol/types.js'
import { ownerDigest } from '../sessions/owner.js'
import type { TaskExchange } from './services.js'
import type { TaskRunner } from './task-runner.js'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export interface TaskOptions {
  /** Where tasks run. Default: in the process that took the call. */
  readonly runner?: TaskRunner | undefined
  /** How long a task is kept from its creation on, in milliseconds. Default 1 hour. */
  readonly ttlMs?: number | undefined
  /** How often clients should ask, in milliseconds. Default 1,000. */
  readonly pollIntervalMs?: number | undefined
  /**
   * Tasks of one caller that may run or wait at once, of those this machine began. Anonymous callers count by their
   * address, and all of them together may have ten times as many. Default 1,000.
   */
  readonly maxRunning?: number | undefined
  /** Tasks of one caller that are kept, and how many bytes of them: beyond, the caller's own oldest results go; all anonymous callers together keep ten times as much. Default 1,000 and 8 MiB. */
  readonly maxKept?: number | undefined
  readonly maxKeptBytes?: number | undefined
}

/** What the one that runs it writes, while it runs. */
export interface RunningTask {
  readonly id: string
  readonly tool: string
  /** Digest of the caller it belongs to; `null`: nobody in particular. */
  readonly owner: string | null
  /** Digest of what an anonymous caller counts by; `undefined`: nobody knows their address. */
  readonly network?: string | undefined
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds from its creation on. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** What the client is asked, by keys that are never used again. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** How far it is, for people. */
  readonly statusMessage?: string | undefined
}

/** How it ended. Written once. */
export interface TaskEnd {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly at: string
  readonly result?: Result | undefined
  readonly error?: JsonRpcErrorObject | undefined
}

/** A task as anybody finds it: what is asked is what is still to be answered. */
export interface Task extends RunningTask {
  /** The keys of what was asked and answered, and not yet taken note of by the one that runs it. */
  readonly answered: readonly string[]
  readonly end: TaskEnd | undefined
}

export function statusOf({ end, inputRequests }: Task): TaskStatus {
  if (end !== undefined) return end.status
  return Object.keys(inputRequests).length > 0 ? 'input_required' : 'working'
}

/**
 * Milliseconds until it is too late for its end, as far as a process can tell that has only the time of day to compare. No
 * task is younger than new.
 */
export function leftOf({ createdAt, ttlMs }: RunningTask): number {
  const age = Date.now() - Date.parse(createdAt)
  return Math.min(ttlMs, Math.max(0, ttlMs - age))
}

/** Tasks extension, Task: flat, with units in its names. */
export function toExtensionTask(task: Task): Result {
  const { id, createdAt, ttlMs, pollIntervalMs } = task
  const lastUpdatedAt = task.end?.at ?? task.lastUpdatedAt
  return {
    taskId: id,
    status: statusOf(task),
    ...messageOf(task),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
  }
}

/** How far it was says nothing of a task that has ended. */
function messageOf({ end, statusMessage }: Task): { statusMessage?: string } {
  return end === undefined && statusMessage !== undefined ? { statusMessage } : {}
}

/** Tasks extension, `tasks/get`: with what it asks, or what it came to. */
export function toDetailedTask(task: Task): Result {
  const { end, inputRequests } = task
  return {
    ...toExtensionTask(task),
    ...(end === undefined && Object.keys(inputRequests).length > 0 && { inputRequests }),
    ...(end?.result !== undefined && { result: end.result }),
    ...(end?.error !== undefined && { error: end.error }),
  }
}

/** Revision 2025-11-25, Task: a tool that reports an error makes the task a failed one. */
export function toLegacyTask(task: Task): Result {
  const { id, createdAt, ttlMs, pollIntervalMs } = task
  const failed = task.end?.result?.isError === true
  return {
    taskId: id,
    status: failed ? 'failed' : statusOf(task),
    ...messageOf(task),
    createdAt,
    lastUpdatedAt: task.end?.at ?? task.lastUpdatedAt,
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  }
}

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
