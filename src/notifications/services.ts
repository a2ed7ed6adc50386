/** The services that subscriptions need from the router. */

import type { TaskServices } from '../tasks/services.js'
import type { NotificationHub } from './notification-hub.js'

export interface NotificationServices extends TaskServices {
  /** Delivers notifications to listeners. */
  readonly notifications: NotificationHub
}
