/** Which of our addresses a request asks for, below the place where we are mounted. */

import type { Endpoint } from './shapes.js'

/** Finds the endpoint; `undefined` when the address is not ours. */
export type Route = (mountPath: string, path: string, exact?: boolean) => Endpoint | undefined

/**
 * The endpoint is `path` below the mount point; mounted at a path that already ends in it, the mount point itself.
 * Letter case counts only where the framework's own router is told that it does (`exact`).
 */
export function toRoute(given: readonly string[], health = false): Route {
  const paths = given.map((one) => one.replace(/\/+$/, ''))
  const lowered = paths.map((one) => one.toLowerCase())
  const endpointOf = (rest: string): Endpoint | undefined => {
    if (rest === '' || rest === '/') return 'main'
    return health && rest === '/health' ? 'health' : undefined
  }
  const find = (own: readonly string[], mount: string, asked: string): Endpoint | undefined => {
    if (own.some((one) => mount.endsWith(one))) return endpointOf(asked)
    for (const one of own) {
      const found = asked.startsWith(one) ? endpointOf(asked.slice(one.length)) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  return (mount, path, exact = false) =>
    exact ? find(paths, mount, path) : find(lowered, mount.toLowerCase(), path.toLowerCase())
}
