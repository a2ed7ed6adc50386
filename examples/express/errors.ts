/** Sends every error as `{ error, issues? }`. Internal errors appear only in the log. */
import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler } from 'express'
import createError, { type HttpError } from 'http-errors'

export function notFound(): never {
  throw createError(404, 'No such route')
}

// Express recognizes an error handler by its four parameters.
export const errorHandler: ErrorRequestHandler = (error: Partial<HttpError>, req, res, next) => {
  if (res.headersSent) return next(error)
  const { status = 500, expose = status < 500, message, issues } = error
  if (status >= 500) req.log.error(error)
  res.status(status).json({ error: expose ? message : STATUS_CODES[status], issues })
}
