/** Takes the stack out of what an app says of its errors: files and functions are nobody's business outside. */

import { stringifyJson } from '../support/long-numbers.js'

/** More is shown nowhere, and need not be read. */
const longestRead = 20_000
/** File, line and column, `(<anonymous>)` and the like. */
const place = String.raw`(?:[^\s()]{0,500}[/\\.][^\s()]{0,500}|node:[^\s()]{1,500}):\d+(?::\d+)?`
const inParentheses = String.raw`\((?:<anonymous>|native\)|eval at |index \d+\)|${place}\))`

/** Where a stack begins, on lines of its own or, where somebody joined them, in the middle of one. */
const beginnings: readonly RegExp[] = [
  /^[ \t\u00a0]+at [^\n]+[:(]/m,
  // Also behind an escaped line break: JSON in a text.
  new RegExp(String.raw`(?:^|\s|\\[nrt])at [^\n()]{1,200}${inParentheses}`, 'm'),
  new RegExp(String.raw`(?:^|\s|\\[nrt])at (?:async )?${place.replace('(?::\\d+)?', ':\\d+')}`, 'm'),
  // As Safari and Firefox write them, and Bun in parts.
  /(?:^|\s|\\[nrt])[\w$.<>/]{0,100}@(?:file|node|https?):[^\s]{1,500}:\d+:\d+/m,
  /^Require stack:/m,
]

/** What stands before the stack; everything where there is none. Long texts are cut. */
export function stripStack(text: string): string {
  const read = text.slice(0, longestRead)
  const found = beginnings.map((beginning) => read.search(beginning)).filter((at) => at >= 0)
  return read.slice(0, Math.min(...found, read.length)).trim()
}

/** Names of properties that hold one. */
export function isStackName(name: string): boolean {
  return /stack|trace$/i.test(name)
}

/** A JSON value without the stacks in it: properties of that name, and the stacks in its texts. */
export function stripStacks(body: object): string {
  return stringifyJson(body, (key, value) => {
    if (isStackName(key)) return undefined
    return typeof value === 'string' ? stripStack(value) : value
  })
}
