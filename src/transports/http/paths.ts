/** Which of our addresses a request asks for, below the place where we are mounted. */

import type { Endpoint } from './shapes.js'

/** Finds the endpoint; `undefined` when the address is not ours. */
export type Route = (mountPath: string, path: string) => Endpoint | undefined

/** Further endpoints, by their paths. */
export interface OtherPaths {
  /** Below the MCP endpoint. */
  readonly below?: Readonly<Record<string, Endpoint>>
  /** Below the mount point. */
  readonly beside?: Readonly<Record<string, Endpoint>>
}

/** A path without the slashes at its end. */
export function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '')
}

/** Every path below a mount point that may be ours, for frameworks that want to know them beforehand. */
export function toPaths(given: readonly string[], { below = {}, beside = {} }: OtherPaths = {}): string[] {
  const bases = ['', ...given.map(withoutSlashes)]
  const own = bases.flatMap((base) => [base, `${base}/`, ...Object.keys(below).map((rest) => base + rest)])
  return [...new Set([...own, ...Object.keys(beside)])]
}

/**
 * The endpoint is `path` below the mount point; mounted at a path that already ends in it, the mount point itself.
 * Of the mount point the framework has decided whether letter case counts; below it, it does: a login for `/mcp` in
 * front of us must not be passed by asking for `/MCP`.
 */
export function toRoute(given: readonly string[], { below = {}, beside = {} }: OtherPaths = {}): Route {
  const paths = given.map(withoutSlashes)
  const atRoot = endpointsAtRoot(paths, { below, beside })
  const mounts = paths.map((one) => one.toLowerCase())
  const endpointOf = (rest: string): Endpoint | undefined => {
    if (rest === '' || rest === '/') return 'main'
    return Object.hasOwn(below, rest) ? below[rest] : undefined
  }
  return (mountPath, path) => {
    if (mountPath === '') return atRoot.get(path)
    if (Object.hasOwn(beside, path)) return beside[path]
    const mount = mountPath.toLowerCase()
    if (mounts.some((own) => mount.endsWith(own))) return endpointOf(path)
    for (const own of paths) {
      const found = path.startsWith(own) ? endpointOf(path.slice(own.length)) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Every address there is where nothing was cut off in front of us. */
function endpointsAtRoot(
  paths: readonly string[],
  { below, beside }: Required<OtherPaths>,
): Map<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>()
  for (const own of [...paths].reverse()) {
    for (const [rest, endpoint] of Object.entries(below)) endpoints.set(own + rest, endpoint)
    endpoints.set(own, 'main').set(`${own}/`, 'main')
  }
  for (const [path, endpoint] of Object.entries(beside)) endpoints.set(path, endpoint)
  return endpoints
}
