/** What the `onRoute` hooks of our mounts saw: one hook for each instance, however many mounts it has. */

import { ownStrategies } from './constraints.js'
import type { FastifyApp, Seen } from './routes-discovery.js'

const byInstance = new WeakMap<FastifyApp, Seen[]>()
const byServer = new WeakMap<object, Seen[][]>()

/** The routes of this instance and all below it, from the first call on; the list grows. */
export function listenForRoutes(app: FastifyApp): readonly Seen[] {
  const known = byInstance.get(app)
  if (known !== undefined) return known
  const seen: Seen[] = []
  byInstance.set(app, seen)
  byServer.set(app.server, [...(byServer.get(app.server) ?? []), seen])
  app.addHook('onRoute', function onRoute(options) {
    seen.push({ options, scope: this, strategies: ownStrategies(this, options.constraints) })
  })
  return seen
}

/** How many routes the instances with mounts saw in the whole app. */
export function countInServer(app: FastifyApp): number {
  let count = 0
  for (const seen of byServer.get(app.server) ?? []) count += seen.length
  return count
}

/** The same of all instances with mounts: what one of them saw is not lost to the app. */
export function seenInServer(app: FastifyApp): Seen[] {
  return (byServer.get(app.server) ?? []).flat()
}
