/** Tasks that run where a runner takes them: what a router hands over, and how its process runs what it is given. */

import type { Auth, ClientInfo } from '../protocol/identity.js'
import type { Log } from '../support/logger.js'

/** Who called, as far as that leaves the process: never a token, never the request. */
export interface QueuedCaller {
  /** What the app calls its user; `undefined`: nobody signed in, or a token alone says who calls. */
  readonly id?: string | number | undefined
  /** Of the app's user, where they have one. */
  readonly tenant?: string | undefined
  readonly auth?: Omit<Auth, 'token'> | undefined
  /** `undefined`: scopes are not enforced. */
  readonly scopes?: readonly string[] | undefined
}

/** One call that became a task. JSON can carry it. */
export interface QueuedTask {
  readonly taskId: string
  readonly tool: string
  /** As the client sent them. */
  readonly arguments: Readonly<Record<string, unknown>>
  readonly protocolVersion: string
  readonly client: ClientInfo | undefined
  readonly caller: QueuedCaller
  /** What the client was asked before the task began, and the name of that conversation in the store. */
  readonly rounds: { readonly id: string; readonly answers: Readonly<Record<string, unknown>> }
}

/** How one attempt is made. */
export interface Attempt {
  /** A fault is the task's result; else the task is to be attempted again. */
  readonly last: boolean
  /** How long after the task began a process that has its tool is waited for. Milliseconds. */
  readonly missingToolMs: number
  /** The caller as handlers know them. `user`: `undefined` where the app has no such user any more. */
  restore(caller: QueuedCaller): Promise<{ readonly user: unknown; readonly context: object | undefined }>
}

/** `faulted`: attempt it again. `closing`, `missing`: not here; nothing was attempted, or it counts for nothing. */
export type Ran = 'ended' | 'faulted' | 'closing' | 'missing'

/** What a router offers its runner. */
export interface RunnerHost {
  /** Of the server. */
  readonly name: string
  readonly log: Log
  /** Never rejects. */
  run(task: QueuedTask, attempt: Attempt): Promise<Ran>
  /** Ends the task as a failed one, unless it has ended: nobody attempts it any more. Rejects only when closing. */
  giveUp(taskId: string, message: string): Promise<void>
}

export interface OpenRunner {
  /** Resolves once some process is going to run it. */
  enqueue(task: QueuedTask): Promise<void>
  /** Begins to take tasks, where this process is to; again after `close`. */
  work(): void
  /** Takes no more. `idle` resolves when nothing runs here any more; then it resolves soon. Never rejects. */
  close(idle: Promise<unknown>): Promise<void>
}

/** Called once for each router that is given it. */
export type TaskRunner = (host: RunnerHost) => OpenRunner
