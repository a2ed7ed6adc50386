/** Progress and log notices, beside the answer. */

import { isObject, type JsonRpcNotification } from '../../src/internal.js'
import { dim, harmless, type Terminal } from './terminal/terminal.js'

type Params = Readonly<Record<string, unknown>>

const texts: Readonly<Record<string, (params: Params) => string>> = {
  'notifications/progress': ({ progress, total, message }) => {
    const done = total === undefined ? `${progress}` : `${progress}/${total}`
    return typeof message === 'string' ? `[${done}] ${message}` : `[${done}]`
  },
  'notifications/message': ({ level, logger, data }) => {
    const from = typeof logger === 'string' ? `${level} ${logger}` : `${level}`
    return `${from}: ${logText(data)}`
  },
}

/** A message with what belongs to it, as `ctx.log` sends it, or whatever another server sends. */
function logText(data: unknown): string {
  if (typeof data === 'string') return data
  const { message, data: inner, ...rest } = isObject(data) ? data : {}
  if (typeof message !== 'string' || Object.keys(rest).length > 0) return JSON.stringify(data) ?? ''
  return inner === undefined ? message : `${message} ${JSON.stringify(inner)}`
}

export function showNotice(terminal: Terminal): (notice: JsonRpcNotification) => void {
  return ({ method, params = {} }) => {
    const text = Object.hasOwn(texts, method) ? texts[method]?.(params) : undefined
    if (text !== undefined) terminal.error(dim(harmless(text), terminal))
  }
}
