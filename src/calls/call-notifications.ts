/** Notifications of a running call: progress, log messages, and closing its stream early. */

import type { CallExchange } from '../client-requests/services.js'
import { notification } from '../protocol/jsonrpc.js'
import { loggingLevels } from '../protocol/logging-levels.js'
import type { LoggingLevel } from '../protocol/types.js'
import type { AttachedNotifications, AttachedTask } from '../request/attachments.js'

export class CallNotifications implements AttachedNotifications {
  readonly #exchange: CallExchange
  #progressed = Number.NEGATIVE_INFINITY

  constructor(exchange: CallExchange) {
    this.#exchange = exchange
  }

  /** Specification, progress: only with the client's token, strictly rising, never after the end. */
  progress(done: number, total?: number, message?: string): boolean {
    const { task, envelope, revision } = this.#exchange
    const { progressToken } = envelope
    if (!(done > this.#progressed) || !Number.isFinite(done)) return false
    // Tasks extension: a task sends no notifications. Its status message is stored, so that every machine can return it.
    if (task !== undefined)
      return this.#note(task, done, message ?? (total === undefined ? `${done}` : `${done} of ${total}`))
    if (progressToken === undefined) return false
    const params: Record<string, unknown> = { progressToken, progress: done }
    if (total !== undefined && Number.isFinite(total)) params.total = total
    if (message !== undefined && revision.progressMessage) params.message = message
    const sent = this.#send('notifications/progress', params)
    if (sent) this.#progressed = done
    return sent
  }

  #note(task: AttachedTask, done: number, message: string): boolean {
    if (this.#exchange.isOver) return false
    this.#progressed = done
    task.note(message)
    return true
  }

  /** Closes the stream; the client reconnects for the response. Returns false when it can't. */
  closeStream(retryMs: number): boolean {
    return !this.#exchange.isOver && this.#exchange.peer.closeStream(retryMs)
  }

  /** Specification, logging: legacy clients get what is at or above their level, modern ones only what they asked for. */
  log(level: LoggingLevel, logger: string, data: unknown): boolean {
    const { logLevel: least } = this.#exchange.envelope
    if (least === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(least)) return false
    return this.#send('notifications/message', { level, logger, data })
  }

  #send(method: string, params: Record<string, unknown>): boolean {
    const { isOver, task, peer } = this.#exchange
    if (isOver || task !== undefined) return false
    try {
      return peer.send(notification(method, params))
    } catch {
      return false
    }
  }
}
