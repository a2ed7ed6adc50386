/** What `onError`, `exposeErrors` and `onActivity` are told, and how they are called. */

import { isThenable } from './maybe-promise.js'

/** The call that failed, for `onError` and `exposeErrors`. */
export interface FailedCall {
  readonly method: string
  /** The tool's or prompt's name, or the URI; `undefined` where the method has none. */
  readonly name: string | undefined
  readonly user: unknown
  /** What the client was given instead of the message, if it was masked. */
  readonly reference: string | undefined
}

/** One served call, for `onActivity`. */
export interface ActivityEntry {
  readonly method: string
  readonly name: string | undefined
  /** The tool that was called, for tool calls only: the name again, but of `call_tool` the tool that it names. */
  readonly tool: string | undefined
  readonly user: unknown
  readonly protocolVersion: string
  readonly startedAt: Date
  readonly durationMs: number
  /** `error`: the model or client was told of a failure; `fault`: a bug; `cancelled`: nobody waits any more; `input_required`: the client is being asked. */
  readonly outcome: 'ok' | 'error' | 'fault' | 'cancelled' | 'input_required'
  /** Bytes of JSON. */
  readonly inputBytes: number
  readonly outputBytes: number
}

/** Calls what the app gave us. Neither a throw nor a rejection of it may harm the call it is told about. */
export function callHook(hook: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const returned = hook()
    if (isThenable(returned)) returned.then(undefined, onFailure)
  } catch (error) {
    onFailure(error)
  }
}
