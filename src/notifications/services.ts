/** What subscriptions need of the router. */

import type { TaskServices } from '../tasks/services.js'
import type { NotificationHub } from './notification-hub.js'

export interface NotificationServices extends TaskServices {
  /** Delivers notifications to everybody who listens. */
  readonly notifications: NotificationHub
}
