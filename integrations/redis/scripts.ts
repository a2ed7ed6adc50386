/** What the server does in one step. Every script names one key, so that it runs on a cluster too. */

import { type CommandParser, defineScript } from 'redis'

/**
 * Appends to the stream at KEYS[1] and drops what is beyond the bounds. ARGV: the value, and how many entries, bytes and
 * milliseconds are kept. Each entry carries the id before it (`p`), by which a reader sees that something is missing,
 * and the bytes of all values up to it (`t`), by which the bound of bytes needs no counting.
 */
const append = `
local key, value = KEYS[1], ARGV[1]
local entries, bytes, age = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local before, total = '', 0
local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
if last then before, total = last[1], tonumber(last[2][6]) end
total = total + #value
local id = redis.pcall('XADD', key, '*', 'v', value, 'p', before, 't', string.format('%.0f', total))
if type(id) == 'string' then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('XTRIM', key, 'MAXLEN', entries)
  redis.call('XTRIM', key, 'MINID', string.format('%.0f', math.max(0, now - age)))
  local oldest = redis.call('XRANGE', key, '-', '+', 'COUNT', 2)
  while oldest[1] and total - tonumber(oldest[1][2][6]) + #oldest[1][2][2] > bytes do
    redis.call('XDEL', key, oldest[1][1])
    oldest = redis.call('XRANGE', key, '-', '+', 'COUNT', 2)
  end
  redis.call('PEXPIRE', key, age)
end
`

/** Live listeners hear it at once, even where the server has no room left to keep it. */
const publish = `${append}
local kept = type(id) == 'string'
redis.call('SPUBLISH', key, (kept and before or '') .. ' ' .. (kept and id or '') .. ' ' .. value)
return kept and id or ''
`

/** The entries after ARGV[1], all without one; nil where some of those are gone. */
const read = `
local key, after = KEYS[1], ARGV[1]
if after == '' then return redis.call('XRANGE', key, '-', '+') end
local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
local known = first and (first[2][4] == after or redis.call('XRANGE', key, after, after)[1])
if not known then return false end
return redis.call('XRANGE', key, '(' .. after, '+')
`

type Field = string
/** What scripts answer with for a stream. */
type Entries = readonly (readonly [id: string, fields: readonly Field[]])[]

export interface Entry {
  readonly id: string
  readonly value: string
  /** The id of the entry before it; empty for the first. */
  readonly before: string
}

function toEntries(entries: Entries): readonly Entry[] {
  return entries.map(([id, [, value = '', , before = '']]) => ({ id, value, before }))
}

function parseCommand(parser: CommandParser, key: string, ...args: readonly string[]): void {
  parser.pushKey(key)
  parser.push(...args)
}

export const scripts: Readonly<
  Record<'appendTo' | 'publishTo' | 'lastOf' | 'readFrom', ReturnType<typeof defineScript>>
> = {
  appendTo: defineScript({
    SCRIPT: `${append} return id`,
    NUMBER_OF_KEYS: 1,
    parseCommand,
    transformReply: (reply: unknown): string => reply as string,
  }),
  publishTo: defineScript({
    SCRIPT: publish,
    NUMBER_OF_KEYS: 1,
    parseCommand,
    transformReply: (reply: unknown): string => reply as string,
  }),
  lastOf: defineScript({
    SCRIPT: `return redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)`,
    NUMBER_OF_KEYS: 1,
    parseCommand,
    transformReply: (reply: unknown): readonly Entry[] => toEntries(reply as Entries),
  }),
  readFrom: defineScript({
    SCRIPT: read,
    NUMBER_OF_KEYS: 1,
    parseCommand,
    transformReply: (reply: unknown): readonly Entry[] | undefined =>
      reply === null ? undefined : toEntries(reply as Entries),
  }),
}
