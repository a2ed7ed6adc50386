/** The levels of log messages, as in RFC 5424. */

import type { LoggingLevel } from './types.js'

/** Low to high. */
export const loggingLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]
