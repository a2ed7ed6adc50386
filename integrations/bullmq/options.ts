/** Checks what `bullmqTasks()` is given. */

import { checkOptions, expected } from '../../src/adapter.js'
import type { BullmqTasksOptions } from './bullmq-tasks.js'

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
}

/** @throws TypeError */
export function checkBullmqTasksOptions(options: BullmqTasksOptions): void {
  checkOptions('bullmqTasks()', options, { known })
  if (options.connection === undefined)
    throw new TypeError('bullmqTasks(): expected `connection`, what BullMQ connects with; got none')
}
