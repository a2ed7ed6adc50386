/** What `register` takes beside the mount options. */

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

/** Hooks for the routes of the endpoint alone, after those of the app. */
export interface RouteHooks {
  onRequest?: OneOrMore<onRequestHookHandler | onRequestAsyncHookHandler> | undefined
  preValidation?: OneOrMore<preValidationHookHandler | preValidationAsyncHookHandler> | undefined
  preHandler?: OneOrMore<preHandlerHookHandler | preHandlerAsyncHookHandler> | undefined
}

interface OwnOptions<E extends object> extends RouteHooks {
  /** Default: a router without tools, under the name and version of the app's `package.json`. */
  router?: McpRouter<E> | undefined
}

/** All mount options, the router, and hooks; `prefix` and its kin come from Fastify itself. */
export type McpPluginOptions<E extends object = Register> = OwnOptions<E> & MountOptions<FastifyRequest, E>

const hookNames = ['onRequest', 'preValidation', 'preHandler'] as const
/** What Fastify reads from the options of every plugin, and leaves in them. */
const ofRegister = ['prefix', 'logLevel', 'logSerializers'] as const

const anything = (): void => {}
const aHook = expected('a hook function or an array of them', (value) =>
  [value].flat().every((hook) => typeof hook === 'function'),
)

const table = {
  known: {
    ...mountOptionTable.known,
    router: anything,
    ...Object.fromEntries(ofRegister.map((name) => [name, anything])),
    ...Object.fromEntries(hookNames.map((name) => [name, aHook])),
  },
}

export interface SplitOptions {
  readonly router: McpRouter<object> | undefined
  readonly prefix: string
  readonly hooks: RouteHooks
  readonly mount: AnyMountOptions
}

/** @throws TypeError for options that do not exist, and for hooks that are none. */
export function splitOptions(given: object): SplitOptions {
  checkOptions('mcp()', given, table)
  const { router, prefix = '', ...rest } = given as Partial<SplitOptions>
  const hooks: Record<string, unknown> = {}
  const mount: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    if (hookNames.some((hook) => hook === name)) hooks[name] = Array.isArray(value) ? [...value] : [value]
    else if (!ofRegister.some((own) => own === name)) mount[name] = value
  }
  return { router, prefix, hooks, mount }
}
