/** The onion: middleware around a handler, outermost first. */

import type { Call, Middleware } from '../definitions/context.js'

/**
 * Runs `handler` inside `middleware`. `onDropped` hears of a middleware
 * that returned nothing although there was a result.
 */
export function compose(
  middleware: readonly Middleware[],
  call: Call,
  handler: (input: unknown) => unknown,
  onDropped: (middleware: Middleware) => void,
): Promise<unknown> {
  let reached = -1
  const step = async (index: number): Promise<unknown> => {
    if (index <= reached)
      throw new Error(
        'next() was called twice by one middleware: a handler runs once, so keep what the first call resolved to',
      )
    reached = index
    const layer = middleware[index]
    if (layer === undefined) return handler(call.input)
    let inner: unknown
    const value = await layer(call, async () => {
      inner = await step(index + 1)
      return inner
    })
    if (value === undefined && inner !== undefined) onDropped(layer)
    return value
  }
  return step(0)
}
