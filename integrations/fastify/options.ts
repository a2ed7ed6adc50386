/** Options of the Fastify plugin, in addition to the mount options. */

import type {
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  preHandlerAsyncHookHandler,
  preHandlerHookHandler,
  preValidationAsyncHookHandler,
  preValidationHookHandler,
} from 'fastify'
import {
  type AnyMountOptions,
  checkOptions,
  expected,
  type McpRouter,
  type MountOptions,
  mountOptionTable,
  type Register,
} from '../../src/adapter.js'

type OneOrMore<T> = T | T[]

/** Hooks for the endpoint's routes only. They run after the app's hooks. */
export interface RouteHooks {
  onRequest?: OneOrMore<onRequestHookHandler | onRequestAsyncHookHandler> | undefined
  preValidation?: OneOrMore<preValidationHookHandler | preValidationAsyncHookHandler> | undefined
  preHandler?: OneOrMore<preHandlerHookHandler | preHandlerAsyncHookHandler> | undefined
}

interface OwnOptions<E extends object> extends RouteHooks {
  /** Default: a router without tools, with the name and version of the app's `package.json`. */
  router?: McpRouter<E> | undefined
}

/** The mount options, the router, and hooks. `prefix` and other options of `register` are Fastify's own. */
export type McpPluginOptions<E extends object = Register> = OwnOptions<E> & MountOptions<FastifyRequest, E>

const hookNames = ['onRequest', 'preValidation', 'preHandler'] as const
/** Options of `register` that Fastify reads from every plugin's options without removing them. */
const registerOptions = ['prefix', 'logLevel', 'logSerializers'] as const

const anyValue = (): void => {}
const aHook = expected('a hook function or an array of them', (value) =>
  [value].flat().every((hook) => typeof hook === 'function'),
)

const table = {
  known: {
    ...mountOptionTable.known,
    router: anyValue,
    ...Object.fromEntries(registerOptions.map((name) => [name, anyValue])),
    ...Object.fromEntries(hookNames.map((name) => [name, aHook])),
  },
}

export interface SplitOptions {
  readonly router: McpRouter<object> | undefined
  readonly prefix: string
  readonly hooks: RouteHooks
  readonly mount: AnyMountOptions
}

/** Splits the plugin's options. @throws TypeError for unknown options, and for hooks that aren't functions. */
export function splitOptions(given: object): SplitOptions {
  checkOptions('mcp()', given, table)
  const { router, prefix = '', ...rest } = given as Partial<SplitOptions>
  const hooks: Record<string, unknown> = {}
  const mount: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    if (hookNames.some((hook) => hook === name)) hooks[name] = Array.isArray(value) ? [...value] : [value]
    else if (!registerOptions.some((own) => own === name)) mount[name] = value
  }
  return { router, prefix, hooks, mount }
}
