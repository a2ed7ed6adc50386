/** The state of one request that the user runs: its progress, log, HTTP traffic and result. */

import { useEffect, useReducer, useRef } from 'react'
import { type JsonRpcNotification, McpError, type Params, type Result } from '../src/internal.js'
import { isObject } from '../src/support/values.js'
import { problemOf } from './problem.js'
import type { Session } from './session.js'
import type { Exchange } from './traffic.js'

export interface Run {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  readonly method: string
  readonly params: Params
  readonly result?: Result
  readonly error?: { readonly code: number | undefined; readonly message: string; readonly data: unknown }
  readonly progress?: { readonly done: number; readonly total: number | undefined; readonly message: string }
  readonly log: readonly { readonly level: string; readonly text: string }[]
  readonly exchanges: readonly Exchange[]
  /** Milliseconds. */
  readonly took?: number
}

export interface Runner {
  readonly run: Run | undefined
  start(method: string, params: Params, schema?: Readonly<Record<string, unknown>>): void
  cancel(): void
}

/** How many log lines are kept. */
const maxLogLines = 500

type Change = Partial<Run> | ((run: Run) => Partial<Run>)

/** Runs one request at a time. `listen`: subscribes to the HTTP traffic. */
export function useRunner(
  session: Session,
  listen: (listener: (exchange: Exchange) => void) => () => void,
): Runner {
  const [run, change] = useReducer(
    (current: Run | undefined, next: Run | { readonly of: Run['params']; readonly change: Change }) => {
      if (!('of' in next)) return next
      // Late updates of a previous run are ignored.
      if (current === undefined || current.params !== next.of) return current
      return { ...current, ...(typeof next.change === 'function' ? next.change(current) : next.change) }
    },
    undefined,
  )
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])

  const start: Runner['start'] = (method, params, schema) => {
    controller.current?.abort()
    const aborting = new AbortController()
    controller.current = aborting
    const started = performance.now()
    change({ state: 'running', method, params, log: [], exchanges: [] })
    const update = (next: Change): void => change({ of: params, change: next })
    const stop = listen((exchange) => {
      update(({ exchanges }) => ({
        exchanges: [...exchanges.filter(({ id }) => id !== exchange.id), exchange],
      }))
    })
    const onNotification = (notification: JsonRpcNotification): void =>
      update((current) => applyNotification(notification, current))
    const finish = (outcome: Partial<Run>): void => {
      update({ ...outcome, took: performance.now() - started })
      // The last chunk of the HTTP response is reported after the result.
      setTimeout(stop, 500)
    }
    session.request(method, params, { signal: aborting.signal, onNotification, schema }).then(
      (result) => finish({ state: 'done', result }),
      (error) =>
        finish(aborting.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: toError(error) }),
    )
  }
  return { run, start, cancel: () => controller.current?.abort() }
}

function applyNotification({ method, params = {} }: JsonRpcNotification, { log }: Run): Partial<Run> {
  if (method === 'notifications/progress') {
    const { progress, total, message } = params
    return {
      progress: {
        done: Number(progress),
        total: typeof total === 'number' ? total : undefined,
        message: typeof message === 'string' ? message : '',
      },
    }
  }
  if (method !== 'notifications/message') return {}
  const { level, data } = params
  const text =
    isObject(data) && typeof data.message === 'string' && Object.keys(data).length === 1 ? data.message : data
  const line = { level: String(level), text: typeof text === 'string' ? text : JSON.stringify(text) }
  return { log: [...log, line].slice(-maxLogLines) }
}

function toError(error: unknown): NonNullable<Run['error']> {
  if (error instanceof McpError) return { code: error.code, message: error.message, data: error.data }
  return { code: undefined, message: problemOf(error), data: undefined }
}
