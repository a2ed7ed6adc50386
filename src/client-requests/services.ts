/** The parts of the router that requests to the client need. */

import type { Exchange } from '../request/exchange.js'
import type { TracingServices } from '../tracing/services.js'
import type { PostedAnswers } from './posted-answers.js'

export interface CallServices extends TracingServices {
  /** Answers that legacy clients post to requests of the server. */
  readonly postedAnswers: PostedAnswers
}

/** A request that runs a handler of the app. */
export type CallExchange = Exchange<CallServices>
