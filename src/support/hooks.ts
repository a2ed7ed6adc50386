/** The arguments of `onError`, `exposeErrors` and `onActivity`, and how these hooks are called. */

import { isThenable } from './maybe-promise.js'

/** The call that failed, for `onError` and `exposeErrors`. */
export interface FailedCall {
  readonly method: string
  /** The tool's or prompt's name, or the URI; `undefined` where the method has none. */
  readonly name: string | undefined
  readonly user: unknown
  /** The reference that the client got instead of a masked message. */
  readonly reference: string | undefined
}

/** One served call, for `onActivity`. */
export interface ActivityEntry {
  readonly method: string
  readonly name: string | undefined
  /** The called tool, for tool calls only. For `call_tool` the tool that it names. */
  readonly tool: string | undefined
  readonly user: unknown
  readonly protocolVersion: string
  readonly startedAt: Date
  readonly durationMs: number
  /** `error`: the model or client got an error. `fault`: a bug. `cancelled`: the request was cancelled. `input_required`: the client has to answer first. */
  readonly outcome: 'ok' | 'error' | 'fault' | 'cancelled' | 'input_required'
  /** Bytes of JSON. */
  readonly inputBytes: number
  readonly outputBytes: number
}

/** Calls a hook of the app. A throw or a rejection goes to `onFailure` and never affects the call. */
export function callHook(hook: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const returned = hook()
    if (isThenable(returned)) returned.then(undefined, onFailure)
  } catch (error) {
    onFailure(error)
  }
}
