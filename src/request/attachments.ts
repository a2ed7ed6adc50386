/** State that lower layers attach to a request while it is served. */

import type { AskedOfCaller } from '../definitions/context.js'
import type { NameKey } from '../protocol/request-headers.js'
import type { LoggingLevel, Result } from '../protocol/types.js'

/** The part of a method's table row that code above the table reads. */
export interface MethodInfo {
  /** The key in `params` that the header `Mcp-Name` repeats. */
  readonly nameKey?: NameKey | undefined
  /** The kind of handler that the method runs. */
  readonly runs?: 'tool' | 'resource' | 'prompt' | 'completion'
}

/** The client's earlier answers in a call that asks in rounds (2026-07-28, Multi-round-trip requests). */
export interface RecordedAnswers {
  /** The id of the multi-round call in the store. */
  readonly id: string
  /** The answers of earlier rounds by their keys. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** The requests that a call makes to its client. */
export interface AttachedClientRequests {
  /** Set once the call is answered with `input_required`. The handler's later return value is ignored. */
  readonly signal: Error | undefined
  readonly rounds: RecordedAnswers
  /** Sends requests that the handler made without awaiting them. */
  conclude(): void
  /** Warns that the handler caught the signal and went on. */
  noteSwallowed(owner: string): void
  /** The answer to a call that waits for its client. */
  result(): Promise<Result>
}

/** The notifications of a running call to its client. Each method returns false when nothing was sent. */
export interface AttachedNotifications {
  progress(done: number, total?: number, message?: string): boolean
  log(level: LoggingLevel, logger: string, data: unknown): boolean
  closeStream(retryMs: number): boolean
}

/** The task that a call became. */
export interface AttachedTask {
  request(key: string, request: AskedOfCaller): Promise<unknown>
  /** Sets the status message of the task. */
  note(statusMessage: string): void
}
