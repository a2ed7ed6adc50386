/** Adapts the app's logger, of any library, to one small interface. */

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
  /** For entries about single requests that aren't faults: refusals, and log calls of handlers. */
  readonly request: Levels
}

/** The key of an error is `err`: pino and its relatives write errors under other keys as `{}`. */
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
  // Loggers with `fatal` take the object first, as pino does. A winston with custom levels may have `fatal`, too.
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
      // There is nowhere to report an error of the logger itself.
      callHook(
        () => method.apply(logger, data === undefined ? [message] : toArgs(data)),
        () => {},
      )
    }
    return [level, write] as const
  })
  return Object.fromEntries(entries) as unknown as Levels
}

/** Creates a log that writes to `fallback` until `move` sets the app's logger. The last one counts. */
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

/** Converts an error to a plain object. */
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

/** Looks up the console's methods for every entry, because test runners replace them. */
const stderr: Logger = {
  ...silent,
  warn: (...args: unknown[]) => console.warn(...args),
  error: (...args: unknown[]) => console.error(...args),
}

/** The log of a router without a logger in production. Faults go to stderr, so that references can be looked up. */
export function faultLog(): Log {
  return toLog(stderr, silent)
}

/** Whether a logger drops all entries, like that of a Fastify app without the option `logger`. */
export function isNoOp({ info, error }: Logger): boolean {
  return info === error
}

const longestMessage = 4_000

/** Escapes control characters: text from clients must not fake log lines or control a terminal. */
function printable(text: string): string {
  const short = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
  return short.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
