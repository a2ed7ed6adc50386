/** One try of one item: what it was given, what is heard meanwhile, what came of it. */

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

/** Log lines that are kept. */
const mostLines = 500

type Change = Partial<Run> | ((run: Run) => Partial<Run>)

/** `listen`: hears of everything that travels, while it is called for. */
export function useRunner(
  session: Session,
  listen: (hear: (exchange: Exchange) => void) => () => void,
): Runner {
  const [run, change] = useReducer(
    (current: Run | undefined, next: Run | { readonly of: Run['params']; readonly change: Change }) => {
      if (!('of' in next)) return next
      // What a run before this one still has to say is not about this one.
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
    const tell = (made: Change): void => change({ of: params, change: made })
    const stop = listen((exchange) => {
      tell(({ exchanges }) => ({
        exchanges: [...exchanges.filter(({ id }) => id !== exchange.id), exchange],
      }))
    })
    const hear = (notice: JsonRpcNotification): void => tell((current) => heard(notice, current))
    const ended = (made: Partial<Run>): void => {
      tell({ ...made, took: performance.now() - started })
      // The last piece of an answer is told of after the answer.
      setTimeout(stop, 500)
    }
    session.request(method, params, { signal: aborting.signal, hear, schema }).then(
      (result) => ended({ state: 'done', result }),
      (error) =>
        ended(aborting.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: toError(error) }),
    )
  }
  return { run, start, cancel: () => controller.current?.abort() }
}

function heard({ method, params = {} }: JsonRpcNotification, { log }: Run): Partial<Run> {
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
  return { log: [...log, line].slice(-mostLines) }
}

function toError(error: unknown): NonNullable<Run['error']> {
  if (error instanceof McpError) return { code: error.code, message: error.message, data: error.data }
  return { code: undefined, message: problemOf(error), data: undefined }
}
