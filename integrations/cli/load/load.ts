/** Loads a module and finds the router in it, or the app that one is mounted in. */

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
  /** Where the module exports an app. */
  readonly app: object | undefined
  /** Who calls it and what `ctx` gets, where the module says so: its export `mcpCaller`. */
  readonly caller: ModuleCaller | undefined
}

/** Who calls, where no login says it. */
export interface ModuleCaller {
  readonly user?: unknown
  readonly context?: object | undefined
  readonly scopes?: readonly string[] | undefined
}

/**
 * Loads a module, and has its router read the routes of the app.
 * @throws LoadError where it cannot be read, fails by itself, or has no router in it.
 */
export async function load(file: string): Promise<Loaded> {
  const loaded = await find(file)
  const { router, app } = loaded
  router.list({ app })
  // Documents may still be on their way. What is wrong with one stands at its routes.
  await router.ready().catch(() => {})
  return loaded
}

async function find(file: string): Promise<Loaded> {
  // What the app prints must end up neither in an answer nor in the protocol.
  protectStdout()
  lendPorts()
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
    `${file} exports no router, and no app that one is mounted in; its exports are ${Object.keys(module).join(', ') || 'none'}: add one to them (\`export { app }\`), or name a small module that makes the app and exports it`,
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

/** A value or a function that makes one. */
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

/** The default export first; that of a CommonJS module may hold the others. */
function valuesOf(module: Readonly<Record<string, unknown>>): unknown[] {
  const { default: main, ...others } = module
  const inner = typeof main === 'object' && main !== null ? Object.values(main) : []
  return [main, ...Object.values(others), ...inner]
}

/** Not the exports of a CommonJS module, which hold a router too, nor the handler alone. */
function isApp(value: unknown): value is object {
  const { use, register } = (value ?? {}) as { readonly use?: unknown; readonly register?: unknown }
  return typeof use === 'function' || typeof register === 'function'
}

/** Fastify loads its plugins then. */
async function ready(app: unknown): Promise<void> {
  const { ready: load, printRoutes } = (app ?? {}) as {
    ready?: () => PromiseLike<unknown>
    printRoutes?: unknown
  }
  if (typeof load === 'function' && typeof printRoutes === 'function') await load.call(app)
}

/**
 * In this process, a server that would listen on a port of its own gets a free one of this machine instead. Many
 * modules listen as soon as they are loaded, and the app may be running beside.
 */
export function lendPorts(): void {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]): net.Server {
    return Reflect.apply(listen, this, wantsPort(args[0]) ? elsewhere(args) : args)
  } as typeof listen
}

/** A path is no port, nor is a handle. */
function wantsPort(first: unknown): boolean {
  if (typeof first === 'object' && first !== null) return 'port' in first && !('path' in first)
  return first === undefined || (typeof first !== 'function' && !Number.isNaN(Number(first)))
}

function elsewhere(args: readonly unknown[]): unknown[] {
  const [first] = args
  const given = typeof first === 'object' && first !== null ? first : {}
  return [{ ...given, port: 0, host: '127.0.0.1' }, ...args.filter((arg) => typeof arg === 'function')]
}
