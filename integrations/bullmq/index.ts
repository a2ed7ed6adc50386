/** Long work on several machines, by BullMQ. */

export { bullmqTasks } from './bullmq-tasks.js'
export type { BullmqTasksOptions, TaskCaller } from './options.js'
