/** The onion: middleware around a handler, outermost first. */

import type { Call, Middleware } from './context.js'

/** Runs `handler` inside `middleware`. Without any, the handler is called as it is. */
export function compose(
  middleware: readonly Middleware[],
  call: Call<never>,
  handler: (input: unknown) => unknown,
): unknown {
  if (middleware.length === 0) return handler(call.input)
  let reached = -1
  const step = async (index: number): Promise<unknown> => {
    if (index <= reached) throw new Error('next() was called twice by one middleware')
    reached = index
    const layer = middleware[index]
    return layer === undefined ? handler(call.input) : layer(call as unknown as Call, () => step(index + 1))
  }
  return step(0)
}
