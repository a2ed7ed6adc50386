/** What the layers below attach to a request while it is served. */

import type { AskedOfCaller } from '../definitions/context.js'
import type { NameKey } from '../protocol/request-headers.js'
import type { LoggingLevel, Result } from '../protocol/types.js'

/** The method of a request, as far as code above the table of methods reads it. */
export interface MethodInfo {
  /** The key in `params` that the header `Mcp-Name` repeats. */
  readonly nameKey?: NameKey | undefined
  /** Which kind of an author's code the method runs. */
  readonly runs?: 'tool' | 'resource' | 'prompt' | 'completion'
}

/** The client's earlier answers in a call that asks in rounds (2026-07-28, Multi-round-trip requests). */
export interface RecordedAnswers {
  /** Names the conversation in the store. */
  readonly id: string
  /** The answers of earlier rounds by their keys. */
  readonly answers: Readonly<Record<string, unknown>>
}

/** The requests that a call makes to its client. */
export interface AttachedClientRequests {
  /** Set once the call is answered with its requests: nothing that the handler still does counts. */
  readonly signal: Error | undefined
  readonly rounds: RecordedAnswers
  /** Sends what the handler requested and did not wait for. */
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
