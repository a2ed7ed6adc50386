/** One small logger shape inside, whatever the app hands in. */

import { callHook } from './hooks.js'

/** A logger as pino has it (object first) or as console has it (message first). Fastify's and winston's fit too. */
export interface Logger {
  debug?(...args: never[]): unknown
  info(...args: never[]): unknown
  warn(...args: never[]): unknown
  error(...args: never[]): unknown
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type Levels = Readonly<Record<LogLevel, (message: string, data?: LogData) => void>>

export interface Log extends Levels {
  /** For lines about a single request that are no fault: refusals, and what handlers write. */
  readonly request: Levels
}

/** An error is `err`: loggers of pino's family write those under any other name as `{}`. */
interface LogData {
  readonly err?: unknown
  readonly error?: never
  readonly [key: string]: unknown
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Adapts a logger. A logger that throws never breaks a call. `perRequest`: where `request` writes. */
export function toLog(logger: Logger, perRequest?: Logger): Log {
  const levels = toLevels(logger)
  return { ...levels, request: perRequest === undefined ? levels : toLevels(perRequest) }
}

function toLevels(logger: Logger): Levels {
  // Loggers of pino's family take the object first. They know `fatal`; so may a winston, by levels of its own.
  const isWinston = 'transports' in logger
  const objectFirst = 'fatal' in logger && !isWinston
  // winston, and bunyan without serializers, write an Error as {}.
  const toData = isWinston || 'fields' in logger ? withPlainError : (data: object): object => data
  const entries = levels.map((level) => {
    const method = (logger[level] ?? logger.info) as (...args: unknown[]) => unknown
    const write = (text: string, data?: LogData): void => {
      const message = printable(text)
      const toArgs = (given: object): unknown[] =>
        objectFirst ? [toData(given), message] : [message, toData(given)]
      // Where the logger itself fails, nothing is left to report it to.
      callHook(
        () => method.apply(logger, data === undefined ? [message] : toArgs(data)),
        () => {},
      )
    }
    return [level, write] as const
  })
  return Object.fromEntries(entries) as unknown as Levels
}

/** A log that writes to `fallback` until it is handed the logger of an app; the last one counts. */
export function movingLog(fallback: Log): { log: Log; move: (logger: Logger) => void } {
  let current = fallback
  const through = (target: () => Levels): Levels =>
    Object.fromEntries(
      levels.map((level) => [level, (message: string, data?: LogData) => target()[level](message, data)]),
    ) as unknown as Levels
  return {
    log: { ...through(() => current), request: through(() => current.request) },
    move: (logger) => {
      current = toLog(logger)
    },
  }
}

/** In words that JSON has. */
function withPlainError(data: object): object {
  try {
    const { err, ...rest } = data as { err?: unknown }
    if (!(err instanceof Error)) return data
    const { name, message, stack } = err
    return { ...rest, err: { name, message, stack } }
  } catch {
    return data
  }
}

const nothing = (): void => {}
export const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Looked up at each line: runners of tests replace the console's methods. */
const stderr: Logger = {
  ...silent,
  warn: (...args: unknown[]) => console.warn(...args),
  error: (...args: unknown[]) => console.error(...args),
}

/** The log of a router in production that has no logger: a reference that a client reads can still be looked up. */
export function faultLog(): Log {
  return toLog(stderr, silent)
}

/** Whether a logger drops every line, as that of a Fastify app without the option `logger` does. */
export function isNoOp({ info, error }: Logger): boolean {
  return info === error
}

const longestMessage = 4_000

/** Parts of messages come from clients: they must not look like further lines, or steer a terminal. */
function printable(text: string): string {
  const short = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
  return short.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
