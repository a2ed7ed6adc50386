/**
 * Checks option objects when they are passed. The error for an unknown name suggests the nearest one; the error for a
 * wrong value says what was expected.
 */

import { nearest } from './nearest.js'
import { describe, isObject } from './values.js'

/** Checks one value; `what` names it in the message. Throws `TypeError`. */
export type Check = (value: unknown, what: string) => void

/** The options an object may have. */
export interface OptionTable {
  readonly known: Readonly<Record<string, Check>>
}

/** @throws TypeError for anything but an object, for unknown names, and for values that don't pass their check. */
export function checkOptions(owner: string, options: unknown, { known }: OptionTable): void {
  if (!isObject(options))
    throw new TypeError(`${owner}: expected an options object, got ${describe(options)}`)
  for (const name of Object.keys(options)) {
    if (options[name] === undefined) continue
    const check = Object.hasOwn(known, name) ? known[name] : undefined
    if (check === undefined) throw new TypeError(`${owner}: ${refuseName(name, Object.keys(known))}`)
    check(options[name], `${owner}: expected \`${name}\``)
  }
}

function refuseName(name: string, known: readonly string[]): string {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  const near = alias !== undefined && known.includes(alias) ? alias : nearest(name, known)
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean \`${near}\`?`
  return `there is no option \`${name}\`; ${hint}`
}

/** Names from other libraries, with ours. */
const aliases: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  params: 'input',
  arguments: 'input',
  schema: 'input',
  args: 'input',
  argsSchema: 'input',
  outputSchema: 'output',
  execute: 'handler',
  run: 'handler',
  read: 'handler',
  callback: 'handler',
  cb: 'handler',
  func: 'handler',
  desc: 'description',
  middleware: 'use',
  _meta: 'meta',
  timeout: 'timeoutMs',
  drain: 'drainMs',
}

/** Creates a check. `words`: the expected value, for the message. */
export function expected(words: string, fits: (value: unknown) => boolean): Check {
  return (value, what) => {
    if (!fits(value)) throw new TypeError(`${what} to be ${words}; got ${describe(value)}`)
  }
}

/** An object with options of its own; the `required` ones must be there. */
export function nested(known: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, what) => {
    if (isObject(value)) {
      const missing = required.filter((name) => value[name] === undefined)
      const names = missing.map((name) => `\`${name}\``).join(' and ')
      if (missing.length > 0) throw new TypeError(`${what} to have ${names}; got ${describe(value)} without`)
    }
    checkOptions(what.replace(': expected', ':'), value, { known })
  }
}

/** An array whose items all pass. */
export function arrayOf(check: Check): Check {
  return (value, what) => {
    if (!Array.isArray(value)) throw new TypeError(`${what} to be an array; got ${describe(value)}`)
    for (const [index, item] of value.entries()) check(item, `${what}[${index}]`)
  }
}

/** Creates the check of an option that takes one of these strings. */
export function oneOf(values: readonly string[]): Check {
  return expected(`one of ${values.join(', ')}`, (value) => values.includes(value as string))
}

const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least

export const aString: Check = expected('a string', (value) => typeof value === 'string')
/** The check of a boolean option. */
export const aBoolean: Check = expected('true or false', (value) => typeof value === 'boolean')
export const aFunction: Check = expected('a function', (value) => typeof value === 'function')
export const anObject: Check = expected('an object', isObject)
export const aCount: Check = expected('a whole number above 0', (value) => isWhole(value, 1))
export const aSize: Check = expected('a whole number, 0 or more', (value) => isWhole(value, 0))
export const milliseconds: Check = expected('milliseconds, a whole number, 0 or more', (value) =>
  isWhole(value, 0),
)
/** The check of a list of scopes: one RFC 6749 `scope-token` in each string. */
export const scopeNames: Check = arrayOf(
  expected('one OAuth scope such as tasks:read', (value) => typeof value === 'string' && isScope(value)),
)

/** Whether a text is an RFC 6749 `scope-token`. */
export function isScope(text: string): boolean {
  return /^[!#-[\]-~]+$/.test(text)
}

/** The check of a schema, whose details are checked when it's read. */
export const readLater: Check = expected('a schema', (value) => value !== null)

export const icons: Check = arrayOf(
  nested({ src: aString, mimeType: aString, sizes: arrayOf(aString), theme: oneOf(['light', 'dark']) }, [
    'src',
  ]),
)

export const aCacheHint: Check = nested({ ttlMs: milliseconds, scope: oneOf(['public', 'private']) }, [
  'ttlMs',
  'scope',
])
