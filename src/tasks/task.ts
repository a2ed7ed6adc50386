/** Task options, the stored task, and its conversion to each era's wire format. */

import type { InputRequest } from '../client-requests/client-request.js'
import { ErrorCode, refusal } from '../errors/errors.js'
import type { JsonRpcErrorObject, Result } from '../protocol/types.js'
import { ownerDigest } from '../sessions/owner.js'
import type { TaskExchange } from './services.js'
import type { TaskRunner } from './task-runner.js'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export interface TaskOptions {
  /** Runs tasks elsewhere, such as in a job queue. Default: the process that received the call runs them. */
  readonly runner?: TaskRunner | undefined
  /** Milliseconds that a task is kept after its creation. Default 1 hour. */
  readonly ttlMs?: number | undefined
  /** Milliseconds that clients should wait between two polls. Default 1,000. */
  readonly pollIntervalMs?: number | undefined
  /**
   * Maximum number of tasks of one caller that run or wait at once, counted per machine by the tasks it created.
   * Anonymous callers count by their address, and all of them together may have ten times as many. Default 1,000.
   */
  readonly maxRunning?: number | undefined
  /**
   * Maximum number of tasks kept for one caller. Beyond it, the caller's own oldest results are dropped. All anonymous
   * callers together may keep ten times as many. Default 1,000.
   */
  readonly maxKept?: number | undefined
  /**
   * Maximum size of the tasks kept for one caller, in bytes. Beyond it, the caller's own oldest results are dropped. All
   * anonymous callers together may keep ten times as much. Default 8 MiB.
   */
  readonly maxKeptBytes?: number | undefined
}

/** A task as its runner writes it while it runs. */
export interface RunningTask {
  readonly id: string
  readonly tool: string
  /** A digest of the task's owner; `null` for anonymous callers. */
  readonly owner: string | null
  /** A digest of an anonymous caller's address or network, for limits; `undefined` if the address is unknown. */
  readonly network?: string | undefined
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds after creation. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** The open requests to the client. Keys are never reused. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** The progress, for people. */
  readonly statusMessage?: string | undefined
}

/** The end of a task. Written once. */
export interface TaskEnd {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly at: string
  readonly result?: Result | undefined
  readonly error?: JsonRpcErrorObject | undefined
}

/** A task as read from the store. `inputRequests` has only the requests that are still to be answered. */
export interface Task extends RunningTask {
  /** The keys of the requests that were answered, but whose answers the runner hasn't read yet. */
  readonly answered: readonly string[]
  readonly end: TaskEnd | undefined
}

export function statusOf({ end, inputRequests }: Task): TaskStatus {
  if (end !== undefined) return end.status
  return Object.keys(inputRequests).length > 0 ? 'input_required' : 'working'
}

/**
 * Milliseconds until the task's TTL is over, measured with the system clock. Never more than the TTL, even if the clock was
 * set back since.
 */
export function remainingMsOf({ createdAt, ttlMs }: RunningTask): number {
  const age = Date.now() - Date.parse(createdAt)
  return Math.min(ttlMs, Math.max(0, ttlMs - age))
}

/** The task in the format of the tasks extension (Task): flat, with units in the member names. */
export function toExtensionTask(task: Task): Result {
  const { id, createdAt, ttlMs, pollIntervalMs } = task
  const lastUpdatedAt = task.end?.at ?? task.lastUpdatedAt
  return {
    taskId: id,
    status: statusOf(task),
    ...statusMessageOf(task),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
  }
}

/** The status message, only while the task runs: it describes progress. */
function statusMessageOf({ end, statusMessage }: Task): { statusMessage?: string } {
  return end === undefined && statusMessage !== undefined ? { statusMessage } : {}
}

/** The task with its open requests, or its result or error (tasks extension, `tasks/get`). */
export function toDetailedTask(task: Task): Result {
  const { end, inputRequests } = task
  return {
    ...toExtensionTask(task),
    ...(end === undefined && Object.keys(inputRequests).length > 0 && { inputRequests }),
    ...(end?.result !== undefined && { result: end.result }),
    ...(end?.error !== undefined && { error: end.error }),
  }
}

/** The task in the format of revision 2025-11-25 (Task). If the tool's result has `isError`, the status is `failed`. */
export function toLegacyTask(task: Task): Result {
  const { id, createdAt, ttlMs, pollIntervalMs } = task
  const failed = task.end?.result?.isError === true
  return {
    taskId: id,
    status: failed ? 'failed' : statusOf(task),
    ...statusMessageOf(task),
    createdAt,
    lastUpdatedAt: task.end?.at ?? task.lastUpdatedAt,
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  }
}

/** A digest of an anonymous caller's address or network, for limits. The address itself never goes to the store. */
export function networkDigest({ services, peer }: TaskExchange): string | undefined {
  const { callerKey } = peer
  return callerKey === undefined ? undefined : services.tokens.digest(callerKey)
}

/** Throws 403 if the task belongs to another caller. */
export function assertOwner(exchange: TaskExchange, task: Task): void {
  if (task.owner === ownerDigest(exchange, 'a task')) return
  exchange.services.log.request.warn('refused access to a task: it belongs to another caller')
  throw refusal(ErrorCode.Forbidden, 'Forbidden: this task belongs to another caller', { status: 403 })
}
