/** The services that tasks need from the router. */

import type { CallServices } from '../client-requests/services.js'
import type { Exchange } from '../request/exchange.js'
import type { OpenRunner } from './task-runner.js'
import type { Tasks } from './tasks.js'

export interface TaskServices extends CallServices {
  readonly tasks: Tasks
  /** Runs tasks; if `undefined`, the process that received the call runs them. */
  readonly runner: OpenRunner | undefined
}

export type TaskExchange = Exchange<TaskServices>
