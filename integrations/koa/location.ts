/** Where we are mounted: by koa-mount, by a router, by both, or at the root. */

import type { Layer, RoutedContext } from './context.js'

export interface Location {
  /** The path that was matched before us. */
  readonly mountPath: string
  /** The rest of it. */
  readonly path: string
}

/**
 * Where the request is, as Koa itself reads it. A route of ours (`router.all('/x/mcp', mcp(router))`) is a mount point
 * itself. `undefined`: spelled so that code in front of us may have taken it for another address.
 */
export function locationOf(ctx: RoutedContext, own: unknown): Location | undefined {
  // A whole URL, as clients send it to proxies.
  if (!ctx.originalUrl.startsWith('/')) return undefined
  const whole = pathOf(ctx.originalUrl)
  if (whole.includes('//')) return undefined
  const cut = cutOff(ctx, whole)
  const layer = layerOf(ctx, own)
  const { mountPath, path } = (layer && below(layer, ctx.path)) ?? { mountPath: '', path: ctx.path }
  return { mountPath: cut + mountPath, path: path.startsWith('/') ? path : `/${path}` }
}

export function pathOf(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return path === '' ? '/' : path
}

/**
 * What koa-mount has cut off in front of `ctx.path`. Addresses that the app rewrites by itself do not count: what they
 * were before is no mount point.
 */
export function cutOff({ path, mountPath }: RoutedContext, whole: string): string {
  if (typeof mountPath !== 'string') return ''
  // A mount point itself is `/` to koa-mount, with or without a slash at its end.
  const rest = path === '/' && !whole.endsWith('/') ? '' : path
  if (!whole.endsWith(rest)) return ''
  const cut = withoutSlash(whole.slice(0, whole.length - rest.length))
  return cut.endsWith(withoutSlash(mountPath)) ? cut : ''
}

/** Routers leave behind what ran before, so only a layer that runs now, and holds our handler, counts. */
function layerOf({ matched, routerPath, method }: RoutedContext, own: unknown): Layer | undefined {
  return matched?.find(
    ({ path, methods, stack }) =>
      path === routerPath && stack.includes(own) && (methods.length === 0 || methods.includes(method)),
  )
}

/** The end of a pattern that takes everything: `(.*)`, `*rest`, `{/*rest}`, `:rest*`. */
const wildcard = /\/?\{?\/?(?::\w+)?(?:\(\.\*\)|\*\w*)\}?$/

/** What the layer matched is the mount point, but for a wildcard at its end: that is the rest. */
function below({ path: pattern, regexp }: Layer, path: string): Location | undefined {
  const match = regexp?.exec(path)
  if (match == null || match.index !== 0) return undefined
  const [matched, ...captures] = match
  const literal = String(pattern).replace(wildcard, '')
  const tail = literal === pattern ? '' : (captures.at(-1) ?? '')
  const mountPath = withoutSlash(
    matched.endsWith(tail) ? matched.slice(0, matched.length - tail.length) : matched,
  )
  const rest = path.slice(mountPath.length)
  return endsInParameter(mountPath, literal, captures)
    ? { mountPath: '', path: rest === '' ? '/' : rest }
    : { mountPath, path: rest === '' ? '/' : rest }
}

/** `/:tenant` matched `/mcp`: that names a tenant, not the endpoint. */
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
