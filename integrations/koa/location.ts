/** Finds where the endpoint is mounted: by koa-mount, by a router, by both, or at the root. */

import type { Layer, RoutedContext } from './context.js'

export interface Location {
  /** The prefix that koa-mount or a router has matched. */
  readonly mountPath: string
  /** The path without `mountPath`. */
  readonly path: string
}

/**
 * Splits the request's path as Koa itself does. If the endpoint is a route (`router.all('/x/mcp', mcp(router))`), the
 * path it matched is the mount path. `undefined` for a URL in a form that code in front may not recognize.
 */
export function locationOf(ctx: RoutedContext, own: unknown): Location | undefined {
  // Absolute-form target (a whole URL), as clients send it to proxies.
  if (!ctx.originalUrl.startsWith('/')) return undefined
  const whole = pathOf(ctx.originalUrl)
  if (whole.includes('//')) return undefined
  const cut = removedPrefix(ctx, whole)
  const layer = layerOf(ctx, own)
  const { mountPath, path } = (layer && splitAtLayer(layer, ctx.path)) ?? { mountPath: '', path: ctx.path }
  return { mountPath: cut + mountPath, path: path.startsWith('/') ? path : `/${path}` }
}

export function pathOf(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path === '' ? '/' : path
}

/**
 * Returns the prefix that koa-mount has removed from `ctx.path`. Empty if the app rewrote the path itself: its original
 * path is not a mount path.
 */
export function removedPrefix({ path, mountPath }: RoutedContext, whole: string): string {
  if (typeof mountPath !== 'string') return ''
  // koa-mount turns the path of a mount point into `/`, with or without a trailing slash.
  const rest = path === '/' && !whole.endsWith('/') ? '' : path
  if (!whole.endsWith(rest)) return ''
  const cut = withoutSlash(whole.slice(0, whole.length - rest.length))
  return cut.endsWith(withoutSlash(mountPath)) ? cut : ''
}

/**
 * Finds the router's layer that runs the mount. Routers keep `matched` of earlier layers, so compare path and
 * handler.
 */
function layerOf({ matched, routerPath, method }: RoutedContext, own: unknown): Layer | undefined {
  return matched?.find(
    ({ path, methods, stack }) =>
      path === routerPath && stack.includes(own) && (methods.length === 0 || methods.includes(method)),
  )
}

/** Matches a wildcard at the end of a pattern: `(.*)`, `*rest`, `{/*rest}`, `:rest*`. */
const wildcardAtEnd = /\/?\{?\/?(?::\w+)?(?:\(\.\*\)|\*\w*)\}?$/

/** Splits a path at a router's layer: the matched part is the mount path, except for a wildcard at its end. */
function splitAtLayer({ path: pattern, regexp }: Layer, path: string): Location | undefined {
  const match = regexp?.exec(path)
  if (match == null || match.index !== 0) return undefined
  const [matched, ...captures] = match
  const literal = String(pattern).replace(wildcardAtEnd, '')
  const tail = literal === pattern ? '' : (captures.at(-1) ?? '')
  const mountPath = withoutSlash(
    matched.endsWith(tail) ? matched.slice(0, matched.length - tail.length) : matched,
  )
  const rest = path.slice(mountPath.length)
  return endsInParameter(mountPath, literal, captures)
    ? { mountPath: '', path: rest === '' ? '/' : rest }
    : { mountPath, path: rest === '' ? '/' : rest }
}

/** Whether a mount at `/:tenant` matched `/mcp`: the segment is the name of a tenant then, not the endpoint. */
function endsInParameter(
  mountPath: string,
  pattern: string,
  captures: readonly (string | undefined)[],
): boolean {
  const last = mountPath.slice(mountPath.lastIndexOf('/') + 1)
  const isLiteral = withoutSlash(pattern).toLowerCase().endsWith(`/${last.toLowerCase()}`)
  return last !== '' && !isLiteral && captures.includes(last)
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
