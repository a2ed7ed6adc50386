/** The addresses that a mount serves, according to its options. */

import { type ProtectedResource, wellKnown } from '../auth/protected-resource.js'
import { Explorer, explorerPaths } from '../explorer/explorer.js'
import type { LegacySsePaths } from '../legacy-sse/legacy-sse.js'
import type { AnyMountOptions } from './mount-options.js'
import { type OtherPaths, type Route, toRoute } from './paths.js'

/** Creates the route function of a mount. It also records the requested paths for the protected resource. */
export function routeOf(
  options: AnyMountOptions,
  paths: readonly string[],
  resource: ProtectedResource,
): Route {
  if (options.auth === undefined) return toRoute(paths, otherPaths(options, []))
  const route = toRoute(paths, otherPaths(options, resource.metadataPaths))
  return (mountPath, path) => {
    const endpoint = route(mountPath, path)
    if (endpoint !== undefined) resource.noteRequest(mountPath, path, endpoint === 'main')
    return endpoint
  }
}

/** The paths of the auxiliary endpoints. */
export function otherPaths(options: AnyMountOptions, metadataPaths: readonly string[]): OtherPaths {
  const { sse, message, isCustom } = legacySsePaths(options)
  const legacySse = options.legacySse ? ({ [sse]: 'sse', [message]: 'message' } as const) : {}
  const below = {
    ...(options.health === true && { '/health': 'health' as const }),
    ...(Explorer.isEnabled(options) && explorerPaths),
    ...(options.auth !== undefined && { [wellKnown]: 'metadata' as const }),
  }
  const metadata = Object.fromEntries(metadataPaths.map((path) => [path, 'metadata' as const]))
  return isCustom
    ? { belowEndpoint: below, belowMount: { ...legacySse, ...metadata } }
    : { belowEndpoint: { ...below, ...legacySse }, belowMount: metadata }
}

/** The paths of the 2024-11-05 transport: below the endpoint, or those that the app chose below the mount point. */
export function legacySsePaths({ legacySse, publicUrl }: AnyMountOptions): LegacySsePaths {
  const { sse, message, absolute = false } = typeof legacySse === 'object' ? legacySse : {}
  const base = { absolute, publicUrl }
  if (sse === undefined || message === undefined)
    return { ...base, sse: '/sse', message: '/message', isCustom: false }
  return { ...base, sse, message, isCustom: true }
}
