/** The interface between a router and a task runner, such as a job queue. */

import type { Auth, ClientInfo } from '../protocol/identity.js'
import type { Log } from '../support/logger.js'

/** The caller of a queued task. Contains neither the token nor the request. */
export interface QueuedCaller {
  /** The id of the app's user; `undefined` if nobody is signed in, or only a token identifies the caller. */
  readonly id?: string | number | undefined
  /** The tenant of the app's user, if there is one. */
  readonly tenant?: string | undefined
  readonly auth?: Omit<Auth, 'token'> | undefined
  /** The caller's scopes; `undefined` if scopes aren't enforced. */
  readonly scopes?: readonly string[] | undefined
}

/** A call that became a task, serializable as JSON. */
export interface QueuedTask {
  readonly taskId: string
  readonly tool: string
  /** The arguments as the client sent them. */
  readonly arguments: Readonly<Record<string, unknown>>
  readonly protocolVersion: string
  readonly client: ClientInfo | undefined
  readonly caller: QueuedCaller
  /** The client's answers from before the task began, by key, and the id of that conversation in the store. */
  readonly rounds: { readonly id: string; readonly answers: Readonly<Record<string, unknown>> }
}

/** The settings of one attempt to run a task. */
export interface Attempt {
  /** Whether this is the last attempt: a fault then becomes the task's result. Otherwise `run` resolves to `faulted`. */
  readonly last: boolean
  /** Milliseconds after the task's creation during which `run` resolves to `missing` if this process lacks the tool. */
  readonly missingToolMs: number
  /** Resolves to the caller's `user` and `context` for handlers. `user` is `undefined` if the app has no such user any more. */
  restore(caller: QueuedCaller): Promise<{ readonly user: unknown; readonly context: object | undefined }>
}

/**
 * The result of an attempt. `ended`: the task has ended. `faulted`: try again. `closing` (the router is closing) and
 * `missing` (this process doesn't have the tool): another process should run the task, and this attempt doesn't count.
 */
export type Ran = 'ended' | 'faulted' | 'closing' | 'missing'

/** The router's interface for its runner. */
export interface RunnerHost {
  /** The server's name. */
  readonly name: string
  readonly log: Log
  /** Runs a task once. Never rejects. */
  run(task: QueuedTask, attempt: Attempt): Promise<Ran>
  /** Ends a task that won't be attempted again as `failed`, unless it has ended. Rejects only while the router closes. */
  giveUp(taskId: string, message: string): Promise<void>
}

/** A runner that belongs to one router. */
export interface OpenRunner {
  /** Adds a task to the queue. Resolves once the task is certain to be run by some process. */
  enqueue(task: QueuedTask): Promise<void>
  /** Starts to take tasks, if this process is a worker. Can be called again after `close`. */
  work(): void
  /**
   * Stops taking tasks. `idle` resolves once no task runs in this process; the returned promise resolves soon after that.
   * Never rejects.
   */
  close(idle: Promise<unknown>): Promise<void>
}

/** Creates the runner of a router. Called once for each router with this runner in its options. */
export type TaskRunner = (host: RunnerHost) => OpenRunner
