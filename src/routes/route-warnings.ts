/** What somebody should know who chose routes of an app. */

import { idlePatterns, toChoice } from './exposure.js'
import type { Discovered } from './route.js'
import type { AnyRouteOptions } from './route-options.js'

/** More tools than this cost a model more than they help. */
const manyTools = 40

export interface Chosen {
  readonly options: readonly AnyRouteOptions[]
  /** How many routes are tools. */
  readonly tools: number
  /** The router lists three tools that find the others. */
  readonly searches: boolean
}

/** None for apps whose routes nobody asked for. */
export function warningsOf({ routes, unread }: Discovered, { options, tools, searches }: Chosen): string[] {
  const asked = options.some(({ include, apps }) => include !== undefined || apps !== undefined)
  if (!asked && tools === 0) return []
  const idle = options.flatMap((one) => idlePatterns(routes, toChoice(one)))
  const warnings = [...unread.map(({ path, reason }) => `${path} is not read: ${reason}`), ...idle]
  if (tools > manyTools && !searches) warnings.push(tooMany(tools))
  return warnings.map((warning) => `routes: ${warning}`)
}

function tooMany(tools: number): string {
  return `${tools} routes are tools; above ${manyTools} a model chooses badly and pays for each of them: narrow \`include\` and \`exclude\`, or set \`toolSearch: true\` on the router, which lists three tools that find the others`
}
