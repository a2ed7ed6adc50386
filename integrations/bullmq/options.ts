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

/** Who started a task, as far as its worker is told. */
export interface TaskCaller {
  /** Of their user: what the mount's `userId` says, else `sub`, `id`, `_id` or `userId`, else the subject of the token. */
  readonly id: string | number | undefined
  /** Of their user, where they have one: ids may be the same in different tenants. */
  readonly tenant: string | undefined
  /** Of their token, without the token. */
  readonly auth: Omit<Auth, 'token'> | undefined
}

type User = Context<Register>['user']

export interface BullmqTasksOptions extends Omit<TaskOptions, 'runner'> {
  /** As BullMQ has it: a client of the `redis` package (`createClient({ url })`) or of `ioredis`, or options for the latter. */
  readonly connection: ConnectionOptions
  /** Default: made of the server's name. One queue belongs to one server, on all of its machines. */
  readonly queue?: string | undefined
  /** What BullMQ's keys begin with. Default: BullMQ's own, `bull`. */
  readonly prefix?: string | undefined
  /**
   * `ctx.user` in a worker, by the caller's id. `undefined`: there is no such user any more, and the task fails with
   * -31001. Needed where callers sign in.
   */
  loadUser?(id: string | number, caller: TaskCaller): User | Promise<User>
  /** What a worker merges into `ctx` besides, in the place of the mount's `context(req)`. */
  context?(caller: TaskCaller): Omit<Register, 'user'> | Promise<Omit<Register, 'user'>>
  /** Whether this process runs tasks. Default true. */
  readonly worker?: boolean | undefined
  /** Tasks that this process runs at once. Default 10. */
  readonly concurrency?: number | undefined
  /** How often a task is attempted whose tool fails by a fault. Default 1: a fault is its result. */
  readonly attempts?: number | undefined
  /** As BullMQ has it: how long to wait before the next attempt. Default: exponential from 1 second on. */
  readonly backoff?: JobsOptions['backoff'] | undefined
  /** After how long another process takes a task whose process says nothing any more. Default 30,000. */
  readonly stalledMs?: number | undefined
  /** How long a task waits for a process that has its tool, as while a new version is rolled out. Default 60,000. */
  readonly missingToolMs?: number | undefined
  /** Hears of lost connections. Default: the router's `logger` does. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1
const count = expected('a whole number above 0', isWhole)
const flag = expected('true or false', (value) => typeof value === 'boolean')
const callable = expected('a function', (value) => typeof value === 'function')
// BullMQ joins the parts of its keys with colons.
const name = expected(
  'a non-empty text without a colon',
  (value) => typeof value === 'string' && value !== '' && !value.includes(':'),
)
const text = expected('a non-empty text', (value) => typeof value === 'string' && value !== '')
const backoff = expected(
  'milliseconds or { type, delay }',
  (value) => isWhole(value) || (typeof value === 'object' && value !== null && 'type' in value),
)
const connection = expected(
  'what BullMQ connects with: options, or a client of the redis or ioredis package',
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

/** @throws TypeError */
export function checkBullmqTasksOptions(options: BullmqTasksOptions): void {
  checkOptions('bullmqTasks()', options, { known })
  if (options.connection === undefined)
    throw new TypeError('bullmqTasks(): expected `connection`, what BullMQ connects with; got none')
}
