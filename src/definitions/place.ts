/** Where in the app a definition was made: for the messages that must name two places. */

interface V8Error {
  captureStackTrace?(target: object, below: (...args: never[]) => unknown): void
}

/**
 * The file, line and column that called `below`; `undefined` where the engine does not tell.
 * Costs some microseconds, so only definitions ask.
 */
export function callerOf(below: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {}
  const { captureStackTrace } = Error as V8Error
  if (captureStackTrace === undefined) return undefined
  captureStackTrace(holder, below)
  const frame = holder.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return frame?.replace(/^\s*at (?:.*\()?/, '').replace(/\)$/, '')
}
