/** The app's logger: JSON lines on stdout, with the level of `LOG_LEVEL`. Silent in tests. */
import { pino } from 'pino'
import { pinoHttp } from 'pino-http'

const usual = process.env.NODE_ENV === 'test' ? 'silent' : 'info'

export const log = pino({ level: process.env.LOG_LEVEL ?? usual })

/** Logs one line per request, without headers, since they contain tokens. */
export const requestLog = pinoHttp({
  logger: log,
  serializers: {
    req: ({ id, method, url }) => ({ id, method, url }),
    res: ({ statusCode }) => ({ statusCode }),
  },
})
