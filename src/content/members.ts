/**
 * Leaves out optional members that would make clients refuse a whole response: nulls, as databases return them, and values
 * of the wrong type. An invalid required member is a fault.
 */

import { ServerFault } from '../errors/assert-json.js'
import type { ContentBlock } from '../protocol/types.js'
import type { Log } from '../support/logger.js'
import { describe, isObject } from '../support/values.js'

/** Receives a sentence about each member that was left out because of its value. */
export type OnInvalid = (message: string) => void

type Member = readonly [expected: string, fits: (value: unknown) => boolean]

const string: Member = ['a string', (value) => typeof value === 'string']
const roles = new Set<unknown>(['user', 'assistant'])
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** Whether a text is a date and time with its offset from UTC. Official clients refuse others. */
export function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && dateTime.test(value) && !Number.isNaN(Date.parse(value))
}

/** Members that may be left out, by their name on the wire. */
const optional: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['title', string],
  ['description', string],
  ['mimeType', string],
  ['size', ['a whole number, 0 or more', (value) => Number.isSafeInteger(value) && (value as number) >= 0]],
  [
    'icons',
    [
      'an array of { src, mimeType?, sizes?, theme? }',
      (value) => Array.isArray(value) && value.every(isIcon),
    ],
  ],
  ['_meta', ['an object', isObject]],
  ['annotations', ['an object', isObject]],
  [
    'audience',
    [
      'an array of "user" and "assistant"',
      (value) => Array.isArray(value) && value.every((one) => roles.has(one)),
    ],
  ],
  ['priority', ['a number from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1]],
  [
    'lastModified',
    [
      'an ISO 8601 date and time with its offset',
      (value) => isDateTime(value instanceof Date ? value.toJSON() : value),
    ],
  ],
])

/** Returns the object if all its members can be sent, else a copy without the others. */
export function sendable<T extends object>(object: T, onInvalid: OnInvalid): T {
  const record = object as Record<string, unknown>
  const bad = badMembers(record, onInvalid)
  const annotations = isObject(record.annotations) ? sendable(record.annotations, onInvalid) : undefined
  if (bad === undefined && annotations === record.annotations) return object
  const kept = Object.entries(record).filter(([key]) => bad?.includes(key) !== true)
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'annotations' ? (annotations ?? value) : value]),
  ) as T
}

function badMembers(record: Record<string, unknown>, onInvalid: OnInvalid): string[] | undefined {
  let bad: string[] | undefined
  for (const key in record) {
    const value = record[key]
    const member = value === undefined ? undefined : optional.get(key)
    if (member === undefined || member[1](value)) continue
    bad = [...(bad ?? []), key]
    if (value !== null) onInvalid(`\`${key}\`: expected ${member[0]}, got ${describe(value)}`)
  }
  return bad
}

function isIcon(value: unknown): boolean {
  if (!isObject(value) || typeof value.src !== 'string') return false
  const { mimeType, sizes, theme } = value
  return (
    (mimeType === undefined || typeof mimeType === 'string') &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every((size) => typeof size === 'string'))) &&
    (theme === undefined || theme === 'light' || theme === 'dark')
  )
}

/** Returns the block without members that clients refuse. Throws `ServerFault` for data that isn't base64. */
export function sendableBlock<B extends ContentBlock>(block: B, onInvalid: OnInvalid): B {
  const sent = sendable(block, onInvalid)
  if (sent.type === 'image' || sent.type === 'audio') assertBase64(sent.data, 'data')
  if (sent.type !== 'resource') return sent
  const resource = sendable(sent.resource, onInvalid)
  if (resource.blob !== undefined) assertBase64(resource.blob, 'blob')
  return resource === sent.resource ? sent : { ...sent, resource }
}

/** Returns the same array if nothing had to be left out. */
export function sendableBlocks<B extends ContentBlock>(blocks: B[], onInvalid: OnInvalid): B[] {
  const sent = blocks.map((block) => sendableBlock(block, onInvalid))
  return sent.every((block, index) => block === blocks[index]) ? blocks : sent
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Throws `ServerFault` for text that isn't base64: official clients would refuse the whole response. */
export function assertBase64(value: string, member: string): void {
  if (value.length % 4 === 0 && base64.test(value)) return
  const hint = value.startsWith('data:') ? '; send what comes after the comma of a data URL' : ''
  throw new ServerFault(`expected \`${member}\` to be base64, got ${describe(value)}${hint}`)
}

const warned = new WeakMap<Log, Map<string, Set<string>>>()
/** The most warnings for one definition. */
const mostWarnings = 20

/** Logs a message once for each definition, and only the first few messages of each. */
export function warnOnce(log: Log, definition: string, message: string): void {
  const definitions = warned.get(log) ?? new Map<string, Set<string>>()
  warned.set(log, definitions)
  const given = definitions.get(definition) ?? new Set<string>()
  definitions.set(definition, given)
  if (given.has(message) || given.size >= mostWarnings) return
  given.add(message)
  log.warn(message)
}
