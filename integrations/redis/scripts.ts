/** Lua scripts that the server runs atomically. Every script uses one key, so that it runs on a cluster too. */

import { type CommandParser, defineScript } from 'redis'

/**
 * Appends to the stream at KEYS[1] and removes entries beyond the limits. ARGV: the value, and how many entries, bytes and
 * milliseconds are kept. Each entry carries the id of the previous entry (`p`), so that readers notice gaps, and the bytes
 * of all values up to and including its own (`t`), so that the byte limit is checked without adding up entries.
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

/** Appends and publishes. Subscribers receive the message even if the server has no memory left to keep it. */
const publish = `${append}
local kept = type(id) == 'string'
redis.call('SPUBLISH', key, (kept and before or '') .. ' ' .. (kept and id or '') .. ' ' .. value)
return kept and id or ''
`

/** Reads the entries after ARGV[1], or all entries if it's empty. Returns nil if entries after it have been removed. */
const read = `
local key, after = KEYS[1], ARGV[1]
if after == '' then return redis.call('XRANGE', key, '-', '+') end
local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
local known = first and (first[2][4] == after or redis.call('XRANGE', key, after, after)[1])
if not known then return false end
return redis.call('XRANGE', key, '(' .. after, '+')
`

type Field = string
/** A stream range in the reply of a script. */
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
