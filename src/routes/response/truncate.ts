/** Truncates responses that are too large: lists between items, text between characters. */

import { bytesOf } from '../../support/base64.js'
import { stringifyJson } from '../../support/long-numbers.js'
import { isObject } from '../../support/values.js'

export interface Truncated {
  readonly value: unknown
  /** Tells the model what is missing. */
  readonly note: string
}

const encoder = new TextEncoder()

/** Whether a text fits into `maxBytes`. A UTF-16 unit takes at most 3 bytes, so short texts aren't counted. */
export function fitsInto(maxBytes: number, text: string): boolean {
  return text.length * 3 <= maxBytes || bytesOf(text) <= maxBytes
}

/**
 * Keeps as many items of a list as fit: of an array, or of the longest array in an object (at most one level down).
 * `more`: whether items are already missing. Returns `undefined` if there is no list, or its first item doesn't fit.
 */
export function truncateList(value: unknown, maxBytes: number, more: boolean): Truncated | undefined {
  const list = listIn(value, 1)
  if (list === undefined || list.items.length === 0) return undefined
  let left = maxBytes - bytesOf(stringifyJson(list.with([])))
  let kept = 0
  for (const item of list.items) {
    left -= bytesOf(stringifyJson(item)) + 1
    if (left < 0) break
    kept++
  }
  if (kept === 0) return undefined
  return {
    value: list.with(list.items.slice(0, kept)),
    note: more
      ? `Only the first ${kept} items are shown; there are more than ${list.items.length}.`
      : `Only the first ${kept} of ${list.items.length} items are shown.`,
  }
}

interface List {
  readonly items: readonly unknown[]
  /** Returns the whole value with other items in place of these. */
  with(items: readonly unknown[]): unknown
}

function listIn(value: unknown, depth: number): List | undefined {
  if (Array.isArray(value)) return { items: value, with: (items) => items }
  if (!isObject(value) || depth < 0) return undefined
  let longest: List | undefined
  for (const [key, member] of Object.entries(value)) {
    const list = listIn(member, depth - 1)
    if (list === undefined || list.items.length <= (longest?.items.length ?? 0)) continue
    longest = { items: list.items, with: (items) => ({ ...value, [key]: list.with(items) }) }
  }
  return longest
}

/** Maximum depth of lists to truncate: `{ data: { items: [` is 3. */
const deepestList = 3

/** Closes truncated JSON after the last complete item of its list; returns `undefined` if there is none. */
export function closeJson(text: string): string | undefined {
  const open: string[] = []
  let end = -1
  let closing = ''
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '[') open.push(']')
    else if (character === '{') open.push('}')
    else if (character === ']' || character === '}') open.pop()
    else if (character === ',' && open.length <= deepestList && open.at(-1) === ']') {
      end = at
      closing = open.toReversed().join('')
    }
  }
  return end < 0 ? undefined : text.slice(0, end) + closing
}

export function truncateText(
  text: string,
  maxBytes: number,
): { readonly text: string; readonly note: string } {
  const bytes = encoder.encode(text)
  // Removes a character that was cut in the middle.
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes)).replace(/\ufffd+$/, '')
  return { text: kept, note: `Only the first ${maxBytes} bytes are shown.` }
}

const narrowing =
  /^(?:limit|page|per_?page|page_?size|size|count|top|first|offset|skip|start|cursor|after|before|since|until|from|to|q|query|search|filter|filters|fields|select|status)$/i

/** Returns the arguments that may reduce a response, by their usual names. */
export function narrowingArguments(names: readonly string[]): readonly string[] {
  return names.filter((name) => narrowing.test(name))
}

export function howToNarrow(names: readonly string[]): string {
  if (names.length === 0) return 'This tool has no argument to request less data.'
  return `To get the rest, call again with other values for ${names.join(', ')}.`
}
