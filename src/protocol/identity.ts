import type { ClientCapabilities } from './types.js'

/** The principal of a checked token. */
export interface Auth {
  readonly token?: string | undefined
  readonly subject: string
  readonly clientId?: string | undefined
  readonly scopes: readonly string[]
  readonly tenant?: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
}

/** Self-reported by the client: display only, never a decision. */
export interface ClientInfo {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly capabilities: ClientCapabilities
}

/** The caller, once the host has been asked. */
export interface Identity {
  readonly user: unknown
  readonly auth: Auth | undefined
  /** The caller's scopes. `undefined`: the `scopes` of definitions aren't enforced. */
  readonly scopes: readonly string[] | undefined
  /** The return value of `context(req)`. */
  readonly context: object | undefined
}
