/** Checks option objects when they are given: names that do not exist are refused with the nearest one, values that do not fit with what was expected. */

import { nearest } from './nearest.js'
import { describe, isObject } from './protocol/jsonrpc.js'

/** What a value must be, in words for messages and as a check. */
export type Expectation = readonly [words: string, fits: (value: unknown) => boolean]

/** The options an object may have; `later` are designed but not available yet. */
export interface OptionTable {
  readonly known: Readonly<Record<string, Expectation>>
  readonly later?: readonly string[]
}

/** Throws for what is no object, for names that do not exist or are not available yet, and for values that do not fit. */
export function checkOptions(owner: string, options: unknown, { known, later = [] }: OptionTable): void {
  if (!isObject(options))
    throw new TypeError(`${owner}: expected an options object, got ${describe(options)}`)
  for (const name of Object.keys(options)) {
    const value = options[name]
    if (value === undefined) continue
    const expectation = Object.hasOwn(known, name) ? known[name] : undefined
    if (expectation === undefined)
      throw new TypeError(`${owner}: ${refuseName(name, Object.keys(known), later)}`)
    const [words, fits] = expectation
    if (!fits(value))
      throw new TypeError(`${owner}: expected \`${name}\` to be ${words}; got ${describe(value)}`)
  }
}

function refuseName(name: string, known: readonly string[], later: readonly string[]): string {
  if (later.includes(name)) return `the option \`${name}\` is not available yet`
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  const near = alias !== undefined && known.includes(alias) ? alias : nearest(name, [...known, ...later])
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean \`${near}\`?`
  return `there is no option \`${name}\`; ${hint}`
}

/** Spellings that other libraries taught people. */
const aliases: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  params: 'input',
  schema: 'input',
  args: 'input',
  argsSchema: 'input',
  outputSchema: 'output',
  execute: 'handler',
  run: 'handler',
  read: 'handler',
  callback: 'handler',
  middleware: 'use',
  _meta: 'meta',
  timeout: 'timeoutMs',
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isString = (value: unknown): boolean => typeof value === 'string'
const isWhole = (least: number) => (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= least

export const aString: Expectation = ['a string', isString]
export const aBoolean: Expectation = ['true or false', (value) => typeof value === 'boolean']
export const aFunction: Expectation = ['a function', isFunction]
export const anObject: Expectation = ['an object', isObject]
export const aList: Expectation = ['an array', Array.isArray]
export const functions: Expectation = [
  'an array of functions',
  (value) => Array.isArray(value) && value.every(isFunction),
]
export const strings: Expectation = [
  'an array of strings',
  (value) => Array.isArray(value) && value.every(isString),
]
export const aCount: Expectation = ['a whole number above 0', isWhole(1)]
export const milliseconds: Expectation = ['milliseconds, a whole number; 0 for no limit', isWhole(0)]
/** Checked where it is used, with a message of its own. */
export const checkedLater: Expectation = ['', () => true]

export function oneOf(values: readonly string[]): Expectation {
  return [`one of ${values.join(', ')}`, (value) => values.includes(value as string)]
}

/** Either expectation. */
export function either(first: Expectation, second: Expectation): Expectation {
  return [`${first[0]}, or ${second[0]}`, (value) => first[1](value) || second[1](value)]
}
