/** Long work on several machines, by BullMQ. */

export { type BullmqTasksOptions, bullmqTasks, type TaskCaller } from './bullmq-tasks.js'
