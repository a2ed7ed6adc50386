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
  /**
   * Whether `user` is called again every 30 seconds. Set it to false if `user` takes a single-use ticket. Default:
   * true.
   */
  recheckUser?: boolean | undefined
  /**
   * Interval of pings; a connection that hasn't answered by the next ping is terminated. Milliseconds; default:
   * 30,000; 0: no pings.
   */
  pingMs?: number | undefined
  /** Limit on open connections of this mount; further ones get 503. Default: 20,000. */
  maxConnections?: number | undefined
  /**
   * Limit on open connections per caller; further ones get 429. Anonymous callers are counted by address. Default:
   * 100.
   */
  maxConnectionsPerCaller?: number | undefined
}

/** Options of WebSocket mounts. `Req`: the argument of `user` and `context`. */
export type WebSocketOptions<Req, E extends object = Register> = UpgradeOptions<Req, E> & SocketOptions

/** The options without type parameters, for internal use. */
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

/** Default limit on concurrent requests of one connection. */
const defaultMaxCalls = 100

export function limitsOf(options: AnyWebSocketOptions): ConnectionOptions {
  return withDefaults(options, defaultMaxCalls)
}
