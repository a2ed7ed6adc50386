/** `mcp-router/bullmq`: runs tasks on several machines through a BullMQ queue. */

import type { TaskOptions, TaskRunner } from '../../src/adapter.js'
import { TaskQueue } from './jobs.js'
import { type BullmqTasksOptions, checkBullmqTasksOptions } from './options.js'

export type { BullmqTasksOptions, TaskCaller } from './options.js'

/**
 * Creates the `tasks` option of a router. Its tasks become jobs of a queue. Every process with such a router runs them,
 * from the time the router is mounted or `router.ready()` is called. `router.close()` closes the queue and the worker, but
 * not a client that was passed as `connection`.
 * @throws TypeError for unknown options and invalid values.
 */
export function bullmqTasks(options: BullmqTasksOptions): TaskOptions {
  checkBullmqTasksOptions(options)
  const { ttlMs, pollIntervalMs, maxRunning, maxKept, maxKeptBytes } = options
  const runner: TaskRunner = (host) => new TaskQueue(options, host)
  return { ttlMs, pollIntervalMs, maxRunning, maxKept, maxKeptBytes, runner }
}
