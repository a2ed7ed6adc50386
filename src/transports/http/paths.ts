/** Finds the endpoint for a path below the mount point. */

import type { Endpoint } from './shapes.js'

/** Finds the endpoint for a path; returns `undefined` for other paths. */
export type Route = (mountPath: string, path: string) => Endpoint | undefined

/** Auxiliary endpoints by their paths. */
export interface OtherPaths {
  /** Below the MCP endpoint. */
  readonly belowEndpoint?: Readonly<Record<string, Endpoint>>
  /** Below the mount point. */
  readonly belowMount?: Readonly<Record<string, Endpoint>>
}

/** Removes trailing slashes. */
export function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '')
}

/** All paths below a mount point that may have an endpoint, for frameworks that register paths in advance. */
export function toPaths(
  endpointPaths: readonly string[],
  { belowEndpoint = {}, belowMount = {} }: OtherPaths = {},
): string[] {
  const bases = ['', ...endpointPaths.map(withoutSlashes)]
  const belowBases = bases.flatMap((base) => [
    base,
    `${base}/`,
    ...Object.keys(belowEndpoint).map((rest) => base + rest),
  ])
  return [...new Set([...belowBases, ...Object.keys(belowMount)])]
}

/**
 * Creates the route function. The endpoint is `path` below the mount point, or the mount point itself if it already ends in
 * `path`. For the mount point, the framework decides whether case matters. Below it, case matters: a login for `/mcp` in
 * front of the endpoint must not be bypassed with `/MCP`.
 */
export function toRoute(
  endpointPaths: readonly string[],
  { belowEndpoint = {}, belowMount = {} }: OtherPaths = {},
): Route {
  const paths = endpointPaths.map(withoutSlashes)
  const atRoot = endpointsAtRoot(paths, { belowEndpoint, belowMount })
  const mounts = paths.map((one) => one.toLowerCase())
  const endpointOf = (rest: string): Endpoint | undefined => {
    if (rest === '' || rest === '/') return 'main'
    return Object.hasOwn(belowEndpoint, rest) ? belowEndpoint[rest] : undefined
  }
  return (mountPath, path) => {
    if (mountPath === '') return atRoot.get(path)
    if (Object.hasOwn(belowMount, path)) return belowMount[path]
    const mount = mountPath.toLowerCase()
    if (mounts.some((one) => mount.endsWith(one))) return endpointOf(path)
    for (const endpointPath of paths) {
      const found = path.startsWith(endpointPath) ? endpointOf(path.slice(endpointPath.length)) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** All addresses for a mount at the root, where the framework removes no prefix. */
function endpointsAtRoot(
  paths: readonly string[],
  { belowEndpoint, belowMount }: Required<OtherPaths>,
): Map<string, Endpoint> {
  const endpoints = new Map<string, Endpoint>()
  for (const endpointPath of [...paths].reverse()) {
    for (const [rest, endpoint] of Object.entries(belowEndpoint)) endpoints.set(endpointPath + rest, endpoint)
    endpoints.set(endpointPath, 'main').set(`${endpointPath}/`, 'main')
  }
  for (const [path, endpoint] of Object.entries(belowMount)) endpoints.set(path, endpoint)
  return endpoints
}
