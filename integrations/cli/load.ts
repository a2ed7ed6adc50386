/** Loads a module and finds the router in it, or the app that one is mounted in. */

import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { McpRouter } from '../../src/adapter.js'
import { isRouter, routersIn } from './find-routers.js'
import { isTypeScript, needsTypeScript, prepareTypeScript } from './typescript.js'

export interface Loaded {
  readonly router: McpRouter<object>
  /** Where the module exports an app. */
  readonly app: object | undefined
}

/** What was asked for cannot be done; the message says why. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}

/** @throws UsageError where there is no router in it, or Node cannot read it; whatever the module itself throws. */
export async function load(file: string): Promise<Loaded> {
  const module = await importModule(file)
  const exported = await Promise.all(valuesOf(module))
  const router = exported.find(isRouter)
  if (router !== undefined) {
    const app = exported.find((value) => routersIn(value).includes(router) && value !== router)
    return { router, app: app as object | undefined }
  }
  for (const app of exported) {
    await ready(app)
    const [mounted] = routersIn(app)
    if (mounted !== undefined) return { router: mounted, app: app as object } // routers are found in objects only
  }
  throw new UsageError(
    `${file} exports no router, and no app that one is mounted in; its exports are ${Object.keys(module).join(', ') || 'none'}: add one to them (\`export { app }\`), or list a small module that makes the app and exports it`,
  )
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  if (isTypeScript(file)) await prepareTypeScript(file)
  try {
    return await import(pathToFileURL(path.resolve(file)).href)
  } catch (error) {
    if (!isTypeScript(file) || !needsTypeScript(error)) throw error
    throw new UsageError(
      `${file}: this Node does not read all of its TypeScript: ${error.message}. Install tsx beside the app (npm install --save-dev tsx), or list the compiled file`,
    )
  }
}

/** The default export first; that of a CommonJS module may hold the others. */
function valuesOf(module: Readonly<Record<string, unknown>>): unknown[] {
  const { default: main, ...others } = module
  const inner = typeof main === 'object' && main !== null ? Object.values(main) : []
  return [main, ...Object.values(others), ...inner]
}

/** Fastify loads its plugins then. */
async function ready(app: unknown): Promise<void> {
  const { ready: load, printRoutes } = (app ?? {}) as {
    ready?: () => PromiseLike<unknown>
    printRoutes?: unknown
  }
  if (typeof load === 'function' && typeof printRoutes === 'function') await load.call(app)
}
