/**
 * Handles top-level arguments that an input schema doesn't declare. The rule is determined when a definition is added,
 * and applied to every call.
 */

import { nearest } from '../support/nearest.js'
import { isObject } from '../support/values.js'
import type { Checked, CompileOptions, Issue, JsonObject, UnknownArguments } from './compiled.js'
import { propertyInBranches } from './published/branch-properties.js'

/** Limits of a message. A call may have a hundred thousand unknown keys. */
const mostIssues = 10
const mostNames = 20

/**
 * Publishes that unknown keys are rejected. Keys declared only in branches of a union are repeated at the root, with
 * their schemas from the branches, because `additionalProperties` considers only keys at the same level. It is used
 * because not all clients know `unevaluatedProperties`.
 */
export function rejectUndeclared(json: JsonObject, names: ReadonlySet<string>): JsonObject {
  const own = isObject(json.properties) ? json.properties : {}
  const elsewhere = [...names].filter((name) => !Object.hasOwn(own, name))
  const properties = {
    ...own,
    ...Object.fromEntries(elsewhere.map((name) => [name, propertyInBranches(json, name)])),
  }
  const { type, properties: _, ...rest } = json
  return { type, properties, ...rest, additionalProperties: false }
}

/** Creates a function that applies the rule to arguments, before the schema validates them. */
export function unknownKeyFilter(
  names: ReadonlySet<string>,
  rule: UnknownArguments,
  { owner, warn }: CompileOptions,
): (value: unknown) => Checked {
  let warned = false

  return (value) => {
    if (!isObject(value)) return { value } // the schema reports the expected type
    const unknown = Object.keys(value).filter((key) => !names.has(key))
    if (unknown.length === 0) return { value }

    const injected = unknown.filter((key) => injectedKeys.has(key))
    const foreign = unknown.filter((key) => !injectedKeys.has(key))
    if (injected.length > 0) warnOnce(injected)
    if (rule === 'reject' && foreign.length > 0) return { issues: issuesOf(foreign, names) }
    const dropped = rule === 'pass' ? injected : unknown
    return { value: dropped.length === 0 ? value : without(value, new Set(dropped)) }
  }

  function warnOnce(keys: readonly string[]): void {
    if (warned) return
    warned = true
    warn(`${owner}: dropped arguments that the client itself added and the schema does not name`, { keys })
  }
}

/** Describes an unknown key, with a suggestion. */
export function unknownKeyMessage(key: string, names: Iterable<string>): string {
  const near = nearest(key, names)
  if (near !== undefined) return `unknown key; did you mean "${near}"?`
  const known = [...names]
  if (known.length === 0) return 'unknown key; none are known'
  return `unknown key; known are ${known.slice(0, mostNames).join(', ')}${known.length > mostNames ? ', …' : ''}`
}

function issuesOf(keys: readonly string[], names: ReadonlySet<string>): Issue[] {
  const issues: Issue[] = keys
    .slice(0, mostIssues)
    .map((key) => ({ path: [key], message: unknownKeyMessage(key, names) }))
  const more = keys.length - mostIssues
  return more > 0 ? [...issues, { path: [], message: `${more} more unknown keys` }] : issues
}

/** Returns a copy without some keys. `__proto__` stays an ordinary key. */
function without(value: JsonObject, dropped: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.has(key)))
}

/** Keys that clients are known to add to the arguments of every tool, even if no schema declares them. */
export const injectedKeys: ReadonlySet<string> = new Set([
  // n8n's MCP client tool, for its chat trigger and agent
  'sessionId',
  'action',
  'chatInput',
  'toolCallId',
  'tool',
  'toolParameters',
  // Cursor, for tools without parameters
  'random_string',
  // Gemini CLI and Antigravity, for scheduling and display
  'wait_for_previous',
  'wait_for_previous_tools',
  'waitForPreviousTools',
  'toolAction',
  'toolSummary',
  // SiYuan
  '_sessionID',
  // mcpproxy
  '_auth_auth_type',
  // belongs next to the arguments
  '_meta',
])
