/** Which of our addresses a request asks for, below the place where we are mounted. */

import { describe } from '../protocol/jsonrpc.js'
import type { Endpoint } from './shapes.js'

/** Finds the endpoint; `undefined` when the address is not ours. */
export type Route = (mountPath: string, path: string) => Endpoint | undefined

/**
 * The endpoint is `path` below the mount point; mounted at a path that already ends in it, the mount point itself.
 * Letter case does not count, as in the frameworks' own routers.
 * @throws TypeError when a path does not start with a slash.
 */
export function toRoute(path: string | readonly string[] = '/mcp', health = false): Route {
  const paths = (typeof path === 'string' ? [path] : path).map(checkPath)
  if (paths.length === 0) throw new TypeError('expected `path` to name at least one path')
  const endpointOf = (rest: string): Endpoint | undefined => {
    if (rest === '' || rest === '/') return 'main'
    return health && rest === '/health' ? 'health' : undefined
  }
  return (mountPath, path) => {
    const [mount, asked] = [mountPath.toLowerCase(), path.toLowerCase()]
    if (paths.some((own) => mount.endsWith(own))) return endpointOf(asked)
    for (const own of paths) {
      const found = asked.startsWith(own) ? endpointOf(asked.slice(own.length)) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

function checkPath(path: unknown): string {
  if (typeof path === 'string' && path.startsWith('/') && path.length > 1)
    return path.replace(/\/+$/, '').toLowerCase()
  throw new TypeError(`expected \`path\` to start with "/" and name something; got ${describe(path)}`)
}
