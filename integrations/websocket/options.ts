/** The options of WebSocket mounts. */

import {
  type AnyUpgradeOptions,
  expected,
  type OptionTable,
  type Register,
  type UpgradeOptions,
  upgradeOptionTable,
  withDefaults,
} from '../../src/adapter.js'
import type { ConnectionOptions } from './connection.js'

interface SocketOptions {
  /** Whether `user` is asked again every 30 seconds. False where it takes a ticket that is good once. Default true. */
  recheckUser?: boolean | undefined
  /** How often each connection is asked whether it is alive; one that has not answered until the next time is ended. Default 30,000 ms; 0: never. */
  pingMs?: number | undefined
  /** How many connections may be open at once on this mount; 503 beyond. Default 20,000. */
  maxConnections?: number | undefined
  /** How many of them a single caller may have; 429 beyond. Anonymous callers count by their address. Default 100. */
  maxConnectionsPerCaller?: number | undefined
}

/** `Req`: what `user` and `context` are given. */
export type WebSocketOptions<Req, E extends object = Register> = UpgradeOptions<Req, E> & SocketOptions

/** The options once their types have done their work. */
export type AnyWebSocketOptions = AnyUpgradeOptions & SocketOptions

const count =
  (least: number) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least

export const table: OptionTable = {
  known: {
    ...upgradeOptionTable.known,
    recheckUser: expected('true or false', (value) => typeof value === 'boolean'),
    pingMs: expected('milliseconds, a whole number, 0 or more', count(0)),
    maxConnections: expected('a whole number above 0', count(1)),
    maxConnectionsPerCaller: expected('a whole number above 0', count(1)),
  },
}

/** Requests of one connection that may run at once. */
const mostCalls = 100

export function limitsOf(options: AnyWebSocketOptions): ConnectionOptions {
  return withDefaults(options, mostCalls)
}
