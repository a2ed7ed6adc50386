/** The app's one logger, JSON lines on stdout: `LOG_LEVEL` says how much, and tests are silent. */
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'

const usual = process.env.NODE_ENV === 'test' ? 'silent' : 'info'

export const log = pino({ level: process.env.LOG_LEVEL ?? usual })

/** One line a request. No headers, since they carry tokens. */
export const requestLog = pinoHttp({
  logger: log,
  serializers: {
    req: ({ id, method, url }) => ({ id, method, url }),
    res: ({ statusCode }) => ({ statusCode }),
  },
})
