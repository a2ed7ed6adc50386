/** Long work on several machines, by BullMQ. */

import type { TaskOptions, TaskRunner } from '../../src/adapter.js'
import { Jobs } from './jobs.js'
import { type BullmqTasksOptions, checkBullmqTasksOptions } from './options.js'

export type { BullmqTasksOptions, TaskCaller } from './options.js'

/**
 * For the option `tasks` of a router: its tasks become jobs, and every process whose router has it runs them, beginning
 * when the router is mounted or with `router.ready()`. `router.close()` ends both; a client that was given stays open.
 * @throws TypeError for options that do not exist or do not fit.
 */
export function bullmqTasks(options: BullmqTasksOptions): TaskOptions {
  checkBullmqTasksOptions(options)
  const { ttlMs, pollIntervalMs, maxRunning, maxKept, maxKeptBytes } = options
  const runner: TaskRunner = (host) => new Jobs(options, host)
  return { ttlMs, pollIntervalMs, maxRunning, maxKept, maxKeptBytes, runner }
}
