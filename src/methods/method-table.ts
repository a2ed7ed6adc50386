/** The table of methods, a good first file to read. Any other method is "Method not found". */

import type { CacheHint } from '../definitions/options.js'
import type { Subscription } from '../notifications/subscription.js'
import { nameKeys } from '../protocol/request-headers.js'
import type { Era, Revision } from '../protocol/revisions.js'
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
  Result,
} from '../protocol/types.js'
import type { MethodInfo } from '../request/attachments.js'
import { complete } from './completions.js'
import { type Capability, discover, initialize, setLevel } from './discovery.js'
import { type ListText, list } from './lists.js'
import { getPrompt } from './prompts.js'
import { readResource } from './resources.js'
import type { MethodExchange } from './services.js'
import { listen, subscribe, unsubscribe } from './subscriptions.js'
import { cancelTask, getTask, taskResult, updateTask } from './tasks.js'
import { callTool } from './tools.js'

/** The outcome of a method: a result, one with a cache hint, an open subscription, or a list as prepared text. */
export type MethodResult =
  | {
      readonly result: Result | CallToolResult | GetPromptResult | CompleteResult | ReadResourceResult
      readonly cache?: CacheHint
    }
  /** Stays open. Its result is sent when the subscription ends. */
  | { readonly result: Result; readonly subscription: Subscription }
  | ListText

export interface Method extends MethodInfo {
  readonly eras: readonly Era[]
  /** The method exists only while the server advertises this capability. */
  readonly capability?: Capability
  /** The forms of tasks that have this method. */
  readonly tasks?: readonly Revision['tasks'][]
  /** Resolves the caller although no handler runs, because a session is bound to them. */
  readonly resolvesCaller?: true
  /** Needs a channel for server notifications. */
  readonly needsNotifications?: true
  readonly run: (exchange: MethodExchange) => MethodResult | Promise<MethodResult>
}

const both: readonly Era[] = ['legacy', 'modern']
const legacy: readonly Era[] = ['legacy']
const modern: readonly Era[] = ['modern']

const rows: Readonly<Record<string, Omit<Method, 'nameKey'>>> = {
  initialize: { eras: legacy, resolvesCaller: true, run: (exchange) => ({ result: initialize(exchange) }) },
  ping: { eras: legacy, run: () => ({ result: {} }) },
  'logging/setLevel': {
    eras: legacy,
    capability: 'logging',
    run: async (exchange) => ({ result: await setLevel(exchange) }),
  },
  'server/discover': { eras: modern, run: discover },
  'tools/list': { eras: both, capability: 'tools', run: (exchange) => list('tool', exchange) },
  'tools/call': {
    eras: both,
    capability: 'tools',
    runs: 'tool',
    run: callTool,
  },
  'resources/list': { eras: both, capability: 'resources', run: (exchange) => list('resource', exchange) },
  'resources/templates/list': {
    eras: both,
    capability: 'resources',
    run: (exchange) => list('template', exchange),
  },
  'resources/read': {
    eras: both,
    capability: 'resources',
    runs: 'resource',
    run: readResource,
  },
  'resources/subscribe': {
    eras: legacy,
    capability: 'resources',
    needsNotifications: true,
    run: async (exchange) => ({ result: await subscribe(exchange) }),
  },
  'resources/unsubscribe': {
    eras: legacy,
    capability: 'resources',
    needsNotifications: true,
    run: async (exchange) => ({ result: await unsubscribe(exchange) }),
  },
  'subscriptions/listen': { eras: modern, resolvesCaller: true, needsNotifications: true, run: listen },
  'prompts/list': { eras: both, capability: 'prompts', run: (exchange) => list('prompt', exchange) },
  'prompts/get': {
    eras: both,
    capability: 'prompts',
    runs: 'prompt',
    run: getPrompt,
  },
  'tasks/get': {
    eras: both,
    capability: 'tasks',
    tasks: ['core', 'extension'],
    run: getTask,
  },
  'tasks/update': {
    eras: modern,
    capability: 'tasks',
    tasks: ['extension'],
    run: updateTask,
  },
  'tasks/cancel': {
    eras: both,
    capability: 'tasks',
    tasks: ['core', 'extension'],
    run: cancelTask,
  },
  'tasks/result': { eras: legacy, capability: 'tasks', tasks: ['core'], run: taskResult },
  'completion/complete': {
    eras: both,
    capability: 'completions',
    runs: 'completion',
    run: complete,
  },
}

const table: Readonly<Record<string, Method>> = Object.fromEntries(
  Object.entries(rows).map(([name, row]) => [name, { ...row, nameKey: nameKeys.get(name) }]),
)

/** Returns the method of a name that came from a client. */
export function methodOf(name: string): Method | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Returns the method that runs tools, resources, prompts or completions, with its name on the wire. */
export function methodFor(runs: NonNullable<Method['runs']>): [name: string, method: Method] {
  return Object.entries(table).find(([, method]) => method.runs === runs) as [string, Method]
}
