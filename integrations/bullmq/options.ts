/** The options of `bullmqTasks()`, checked. */

import type { ConnectionOptions, JobsOptions } from 'bullmq'
import {
  type Auth,
  type Context,
  checkOptions,
  expected,
  type Register,
  type TaskOptions,
} from '../../src/adapter.js'

/** The caller who started a task, as the job carries it to the worker. */
export interface TaskCaller {
  /**
   * The user's id: the result of the mount's `userId`, else the user's `sub`, `id`, `_id` or `userId`, else the subject of
   * the token.
   */
  readonly id: string | number | undefined
  /** The user's tenant, if there is one: ids may be the same in different tenants. */
  readonly tenant: string | undefined
  /** The caller's `ctx.auth`, without the token. */
  readonly auth: Omit<Auth, 'token'> | undefined
}

type User = Context<Register>['user']

/** Options of `bullmqTasks()`: the connection, the worker, and the limits of `TaskOptions`. */
export interface BullmqTasksOptions extends Omit<TaskOptions, 'runner'> {
  /**
   * BullMQ's `connection`: a client of the `redis` package (`createClient({ url })`) or of `ioredis`, or options for
   * `ioredis`.
   */
  readonly connection: ConnectionOptions
  /** The name of the queue. All machines of one server share one queue. Default: derived from the server's name. */
  readonly queue?: string | undefined
  /** The prefix of BullMQ's keys. Default: BullMQ's own, `bull`. */
  readonly prefix?: string | undefined
  /**
   * Loads `ctx.user` in a worker by the caller's id. If it returns `undefined`, the user no longer exists and the task
   * fails with -31001. Required if callers sign in.
   */
  loadUser?(id: string | number, caller: TaskCaller): User | Promise<User>
  /** Returns what a worker merges into `ctx`, in place of the mount's `context(req)`. */
  context?(caller: TaskCaller): Omit<Register, 'user'> | Promise<Omit<Register, 'user'>>
  /** Whether this process runs tasks. Default true. */
  readonly worker?: boolean | undefined
  /** How many tasks this process runs at once. Default 10. */
  readonly concurrency?: number | undefined
  /** How often a task is attempted if its tool throws an unexpected error. Default 1: the error is the task's result. */
  readonly attempts?: number | undefined
  /** BullMQ's `backoff`: how long to wait before the next attempt. Default: exponential, starting at 1 second. */
  readonly backoff?: JobsOptions['backoff'] | undefined
  /** How long a task's process may be unresponsive before another takes over. Milliseconds, default 30,000. */
  readonly stalledMs?: number | undefined
  /**
   * How long a task waits for a process that has its tool, such as during the rollout of a new version. Milliseconds,
   * default 60,000.
   */
  readonly missingToolMs?: number | undefined
  /** Called with lost connections. Default: the router's `logger` logs them. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1
const count = expected('a whole number above 0', isWhole)
const flag = expected('true or false', (value) => typeof value === 'boolean')
const callable = expected('a function', (value) => typeof value === 'function')
// BullMQ joins the parts of its keys with colons.
const name = expected(
  'a non-empty string without a colon',
  (value) => typeof value === 'string' && value !== '' && !value.includes(':'),
)
const text = expected('a non-empty string', (value) => typeof value === 'string' && value !== '')
const backoff = expected(
  'milliseconds or { type, delay }',
  (value) => isWhole(value) || (typeof value === 'object' && value !== null && 'type' in value),
)
const connection = expected(
  'connection options of BullMQ, or a client of the redis or ioredis package',
  (value) => typeof value === 'object' && value !== null,
)

const known = {
  connection,
  queue: name,
  prefix: text,
  loadUser: callable,
  context: callable,
  worker: flag,
  concurrency: count,
  attempts: count,
  backoff,
  stalledMs: count,
  missingToolMs: count,
  onError: callable,
  ttlMs: count,
  pollIntervalMs: count,
  maxRunning: count,
  maxKept: count,
  maxKeptBytes: count,
}

/** Checks the options. @throws TypeError */
export function checkBullmqTasksOptions(options: BullmqTasksOptions): void {
  checkOptions('bullmqTasks()', options, { known })
  if (options.connection === undefined)
    throw new TypeError('bullmqTasks(): expected `connection`, the Redis connection for BullMQ; got none')
}
