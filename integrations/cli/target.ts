/** Opens what a command is about: a module in this process, or the URL of a server. */

import { format } from 'node:util'
import { adoptLogger } from '../../src/adapter.js'
import { isObject, type JsonRpcNotification, loggingLevels } from '../../src/internal.js'
import { Client } from './client/client.js'
import { HttpWire } from './client/http-wire.js'
import { Patience } from './client/patience.js'
import { RouterWire } from './client/router-wire.js'
import { openSse } from './client/sse-wire.js'
import { UsageError } from './exit-codes.js'
import { type Loaded, load, type ModuleCaller } from './load/load.js'
import type { Values } from './options.js'
import { asker } from './terminal/ask.js'
import { dim, harmless, type Terminal } from './terminal/terminal.js'
import { packageVersion } from './version.js'

type Logger = Parameters<typeof adoptLogger>[1]

export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place)
}

function checkUrl(place: string): void {
  const url = URL.canParse(place) ? new URL(place) : undefined
  if (url === undefined)
    throw new UsageError(`Expected a URL such as http://localhost:3000/mcp, got ${place}`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `A name and password go into a header: --header 'Authorization: Basic …', not into the URL`,
    )
}

/** @throws LoadError, UsageError, and as `Client.connect` does */
export async function connect(
  place: string,
  values: Values,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<Client> {
  const headers = headersOf(values)
  const options = {
    clientInfo: { name: 'mcp-router', version: packageVersion() },
    capabilities: { elicitation: { form: {}, url: {} } },
    logLevel: logLevelOf(values),
    // A module has limits of its own.
    patience: new Patience(isUrl(place) ? timeoutOf(values) : undefined),
    hear: showNotice(terminal),
    ask: asker(terminal, signal),
  }
  if (isUrl(place)) {
    checkUrl(place)
    if (values.user !== undefined)
      throw new UsageError('--user is for modules: a server knows its callers by --token or --header')
    return Client.connect(new HttpWire(place, headers), { ...options, older: () => openSse(place, headers) })
  }
  // Who calls a module of their own may see why it fails.
  process.env.NODE_ENV ??= 'development'
  const loaded = await load(place)
  adoptLogger(loaded.router, faultsOf(terminal))
  const caller = { ...callerOf(loaded, values), ...requestWith(headers) }
  return Client.connect(new RouterWire(loaded.router, caller), options)
}

/** What else the router logs is answered, or comes as a notice. */
function faultsOf({ error }: Terminal): Logger {
  const nothing = (): void => {}
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (first: unknown, second: unknown) =>
      error(format(...[first, second].filter((part) => part !== undefined))),
  }
}

/** Who calls a module: what it exports as `mcpCaller`, and what was typed. */
export function callerOf({ caller = {} }: Loaded, { user }: Values): ModuleCaller {
  return { ...caller, ...(user !== undefined && { user: readUser(user) }) }
}

/** As over HTTP, for what reads headers. */
function requestWith(headers: Readonly<Record<string, string>>): object {
  if (Object.keys(headers).length === 0) return {}
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { request: { method: 'POST', url: '/mcp', headers: lower, ip: '127.0.0.1', raw: undefined } }
}

function readUser(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--user: expected JSON such as '{"id":"ana"}', got ${text}`)
  }
}

function logLevelOf({ 'log-level': level = 'info' }: Values): string {
  if (loggingLevels.some((one) => one === level)) return level
  throw new UsageError(`--log-level: expected ${loggingLevels.join(', ')}, got ${level}`)
}

/** Milliseconds; `undefined`: as long as it takes. */
function timeoutOf({ timeout = '60' }: Values): number | undefined {
  const seconds = Number(timeout)
  if (/^\d+(\.\d+)?$/.test(timeout) && seconds <= longestTimeout) return seconds * 1_000 || undefined
  throw new UsageError(
    `--timeout: expected seconds up to ${longestTimeout}, or 0 for no limit, got ${timeout}`,
  )
}

/** A week, which a timer can still count. Seconds. */
const longestTimeout = 604_800

function headersOf({ header = [], token }: Values): Record<string, string> {
  const headers = Object.fromEntries(header.map(readHeader))
  return { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*([\t -~\u0080-\u00ff]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`--header: expected 'Name: value', got ${text}`)
  return [name, value]
}

type Params = Readonly<Record<string, unknown>>

const texts: Readonly<Record<string, (params: Params) => string>> = {
  'notifications/progress': ({ progress, total, message }) => {
    const done = total === undefined ? `${progress}` : `${progress}/${total}`
    return typeof message === 'string' ? `[${done}] ${message}` : `[${done}]`
  },
  'notifications/message': ({ level, logger, data }) => {
    const from = typeof logger === 'string' ? `${level} ${logger}` : `${level}`
    return `${from}: ${logText(data)}`
  },
}

/** A message with what belongs to it, as `ctx.log` sends it, or whatever another server sends. */
function logText(data: unknown): string {
  if (typeof data === 'string') return data
  const { message, data: inner, ...rest } = isObject(data) ? data : {}
  if (typeof message !== 'string' || Object.keys(rest).length > 0) return JSON.stringify(data) ?? ''
  return inner === undefined ? message : `${message} ${JSON.stringify(inner)}`
}

export function showNotice(terminal: Terminal): (notice: JsonRpcNotification) => void {
  return ({ method, params = {} }) => {
    const text = Object.hasOwn(texts, method) ? texts[method]?.(params) : undefined
    if (text !== undefined) terminal.error(dim(harmless(text), terminal))
  }
}
