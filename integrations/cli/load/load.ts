/** Loads a module and finds its router, or an app with a mounted router. */

import net from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { McpRouter } from '../../../src/adapter.js'
import { anObject, checkOptions, isObject, scopeNames } from '../../../src/internal.js'
import { isTypeScript } from '../../node/typescript.js'
import { protectStdout } from '../../stdio/index.js'
import { LoadError } from '../exit-codes.js'
import { isRouter, routersIn } from './find-routers.js'
import { importTypeScript } from './typescript.js'

export interface Loaded {
  readonly router: McpRouter<object>
  /** The app, if the module exports one. */
  readonly app: object | undefined
  /** The module's export `mcpCaller`: the caller and the context of its calls. */
  readonly caller: ModuleCaller | undefined
}

/** The caller of a module. There is no login that could determine it. */
export interface ModuleCaller {
  readonly user?: unknown
  readonly context?: object | undefined
  readonly scopes?: readonly string[] | undefined
}

/**
 * Loads a module, and lets its router discover the routes of the app.
 * @throws LoadError if it can't be imported or contains no router
 */
export async function load(file: string): Promise<Loaded> {
  const loaded = await find(file)
  const { router, app } = loaded
  router.list({ app })
  // OpenAPI documents may still be loading. An error in one is reported at its routes.
  await router.ready().catch(() => {})
  return loaded
}

async function find(file: string): Promise<Loaded> {
  // Output of the app must get neither into a result nor into the stdio protocol.
  protectStdout()
  listenOnFreePorts()
  const module = await importModule(file)
  const exported = await Promise.all(valuesOf(module))
  const caller = await callerIn(module, file)
  const router = exported.find(isRouter)
  if (router !== undefined) {
    const app = exported.find(
      (value) => isApp(value) && value !== router && routersIn(value).includes(router),
    )
    return { router, app: app as object | undefined, caller }
  }
  for (const app of exported) {
    await ready(app)
    const [mounted] = routersIn(app)
    if (mounted !== undefined) return { router: mounted, app: isApp(app) ? app : undefined, caller }
  }
  throw new LoadError(
    `expected ${file} to export a router, or an app that has one mounted; its exports are ${Object.keys(module).join(', ') || 'none'}. Add it to them (\`export { app }\`), or pass a small module that creates the app and exports it`,
  )
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    if (isTypeScript(file)) return await importTypeScript(file)
    return await import(pathToFileURL(path.resolve(file)).href)
  } catch (error) {
    if (error instanceof LoadError) throw error
    throw new LoadError(`${file} cannot be loaded: ${(error as Error | undefined)?.stack ?? error}`)
  }
}

/** Reads the export `mcpCaller`: a value, or a function that returns one. @throws LoadError if it's invalid */
async function callerIn(
  module: Readonly<Record<string, unknown>>,
  file: string,
): Promise<ModuleCaller | undefined> {
  const { mcpCaller = isObject(module.default) ? module.default.mcpCaller : undefined } = module
  const caller: unknown = typeof mcpCaller === 'function' ? await mcpCaller() : mcpCaller
  if (caller === undefined) return undefined
  try {
    checkOptions(`${file}: mcpCaller`, caller, {
      known: { user: () => {}, context: anObject, scopes: scopeNames },
    })
  } catch (error) {
    throw new LoadError((error as Error).message)
  }
  return caller as ModuleCaller
}

/** Returns all exports, the default one first. The default export of a CommonJS module may contain the others. */
function valuesOf(module: Readonly<Record<string, unknown>>): unknown[] {
  const { default: main, ...others } = module
  const inner = typeof main === 'object' && main !== null ? Object.values(main) : []
  return [main, ...Object.values(others), ...inner]
}

/** Whether a value is an app, rather than the exports object of a CommonJS module or the mount's handler. */
function isApp(value: unknown): value is object {
  const { use, register } = (value ?? {}) as { readonly use?: unknown; readonly register?: unknown }
  return typeof use === 'function' || typeof register === 'function'
}

/** Waits until a Fastify instance has loaded its plugins. */
async function ready(app: unknown): Promise<void> {
  const { ready: load, printRoutes } = (app ?? {}) as {
    ready?: () => PromiseLike<unknown>
    printRoutes?: unknown
  }
  if (typeof load === 'function' && typeof printRoutes === 'function') await load.call(app)
}

/**
 * Makes all servers of this process listen on a free loopback port instead of their own. Many modules listen as soon as
 * they are loaded, and the app may already run on its port.
 */
export function listenOnFreePorts(): void {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]): net.Server {
    return Reflect.apply(listen, this, isPortArgument(args[0]) ? withFreePort(args) : args)
  } as typeof listen
}

/** Whether the first argument of `listen()` is a port, rather than a path or a handle. */
function isPortArgument(first: unknown): boolean {
  if (typeof first === 'object' && first !== null) return 'port' in first && !('path' in first)
  return first === undefined || (typeof first !== 'function' && !Number.isNaN(Number(first)))
}

function withFreePort(args: readonly unknown[]): unknown[] {
  const [first] = args
  const given = typeof first === 'object' && first !== null ? first : {}
  return [{ ...given, port: 0, host: '127.0.0.1' }, ...args.filter((arg) => typeof arg === 'function')]
}
