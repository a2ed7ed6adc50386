/** Connects to the target of a command: a module in this process, or the URL of a server. */

import { format } from 'node:util'
import { adoptLogger } from '../../src/adapter.js'
import { isObject, type JsonRpcNotification, loggingLevels } from '../../src/internal.js'
import { Client } from './client/client.js'
import { HttpWire } from './client/http-wire.js'
import { Deadlines } from './client/patience.js'
import { RouterWire } from './client/router-wire.js'
import { openSse } from './client/sse-wire.js'
import { UsageError } from './exit-codes.js'
import { type Loaded, load, type ModuleCaller } from './load/load.js'
import type { Values } from './options.js'
import { asker } from './terminal/ask.js'
import { dim, sanitize, type Terminal } from './terminal/terminal.js'
import { packageVersion } from './version.js'

type Logger = Parameters<typeof adoptLogger>[1]

export function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target)
}

function checkUrl(target: string): void {
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (url === undefined)
    throw new UsageError(`Expected a URL such as http://localhost:3000/mcp, got ${target}`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `Expected a URL without a name and password: send them as --header 'Authorization: Basic …'`,
    )
}

/** Connects a client to the target. @throws LoadError, UsageError, and as `Client.connect` does */
export async function connect(
  target: string,
  values: Values,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<Client> {
  const headers = headersOf(values)
  const options = {
    clientInfo: { name: 'mcp-router', version: packageVersion() },
    capabilities: { elicitation: { form: {}, url: {} } },
    logLevel: logLevelOf(values),
    // The router of a module has its own limits.
    deadlines: new Deadlines(isUrl(target) ? timeoutOf(values) : undefined),
    onNotification: showNotification(terminal),
    onRequest: asker(terminal, signal),
  }
  if (isUrl(target)) {
    checkUrl(target)
    if (values.user !== undefined)
      throw new UsageError('--user works with modules only: for a server use --token or --header')
    return Client.connect(new HttpWire(target, headers), {
      ...options,
      openSse: () => openSse(target, headers),
    })
  }
  // In development mode, errors show their cause. The user runs their own module here.
  process.env.NODE_ENV ??= 'development'
  const loaded = await load(target)
  adoptLogger(loaded.router, errorLogger(terminal))
  const caller = { ...callerOf(loaded, values), ...requestWith(headers) }
  return Client.connect(new RouterWire(loaded.router, caller), options)
}

/** Creates a logger for errors only. Everything else that matters comes as a result or a notification. */
function errorLogger({ error }: Terminal): Logger {
  const nothing = (): void => {}
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (first: unknown, second: unknown) =>
      error(format(...[first, second].filter((part) => part !== undefined))),
  }
}

/** Returns the caller of a module: its export `mcpCaller`, with the user of `--user`. */
export function callerOf({ caller = {} }: Loaded, { user }: Values): ModuleCaller {
  return { ...caller, ...(user !== undefined && { user: readUser(user) }) }
}

/** Returns an HTTP request with the headers, for code that reads `ctx.request`. */
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
  if (loggingLevels.some((known) => known === level)) return level
  throw new UsageError(`--log-level: expected ${loggingLevels.join(', ')}, got ${level}`)
}

/** Returns `--timeout` in milliseconds, or `undefined` for no limit. */
function timeoutOf({ timeout = '60' }: Values): number | undefined {
  const seconds = Number(timeout)
  if (/^\d+(\.\d+)?$/.test(timeout) && seconds <= maxTimeoutSec) return seconds * 1_000 || undefined
  throw new UsageError(
    `--timeout: expected seconds up to ${maxTimeoutSec}, or 0 for no limit, got ${timeout}`,
  )
}

/** A week, because longer delays overflow timers after 24 days. Seconds. */
const maxTimeoutSec = 604_800

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

/** Formats log data: a message with data, as `ctx.log` sends it, or any other value. */
function logText(data: unknown): string {
  if (typeof data === 'string') return data
  const { message, data: inner, ...rest } = isObject(data) ? data : {}
  if (typeof message !== 'string' || Object.keys(rest).length > 0) return JSON.stringify(data) ?? ''
  return inner === undefined ? message : `${message} ${JSON.stringify(inner)}`
}

/** Returns a listener that prints progress and log notifications. */
export function showNotification(terminal: Terminal): (notification: JsonRpcNotification) => void {
  return ({ method, params = {} }) => {
    const text = Object.hasOwn(texts, method) ? texts[method]?.(params) : undefined
    if (text !== undefined) terminal.error(dim(sanitize(text), terminal))
  }
}
