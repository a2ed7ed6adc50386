/** What requests to the client need of the router. */

import type { Exchange } from '../request/exchange.js'
import type { TracingServices } from '../tracing/services.js'
import type { PostedAnswers } from './posted-answers.js'

export interface CallServices extends TracingServices {
  /** Answers that legacy clients post to requests of the server. */
  readonly postedAnswers: PostedAnswers
}

/** A request that runs an author's code. */
export type CallExchange = Exchange<CallServices>
