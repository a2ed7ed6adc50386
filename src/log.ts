/** One small logger shape inside, whatever the app hands in. */

/** A logger as pino has it (object first) or as console has it (message first). Fastify's and winston's fit too. */
export interface Logger {
  debug?(...args: never[]): unknown
  info(...args: never[]): unknown
  warn(...args: never[]): unknown
  error(...args: never[]): unknown
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Log = Readonly<Record<LogLevel, (message: string, data?: object) => void>>

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Adapts a logger. A logger that throws never breaks a call. */
export function toLog(logger: Logger): Log {
  // Loggers of pino's family take the object first; they are the ones that know `fatal`.
  const objectFirst = 'fatal' in logger
  const entries = levels.map((level) => {
    const write = (message: string, data?: object): void => {
      try {
        const method = (logger[level] ?? logger.info) as (...args: unknown[]) => unknown
        if (data === undefined) method.call(logger, message)
        else if (objectFirst) method.call(logger, data, message)
        else method.call(logger, message, data)
      } catch {
        // Nothing is left to report it to.
      }
    }
    return [level, write] as const
  })
  return Object.fromEntries(entries) as unknown as Log
}

const nothing = (): void => {}
export const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
