/** What `initialize` settled, for connections that later messages come in on (specification, Lifecycle). */

import { isObject } from '../support/values.js'
import type { ClientInfo } from './identity.js'
import type { ClientCapabilities, Params } from './types.js'

export interface Handshake {
  readonly protocolVersion: string
  readonly client: ClientInfo
}

export function isHandshake(message: unknown): message is Record<string, unknown> {
  return isObject(message) && message.method === 'initialize'
}

/** `undefined` for every other message, and for a handshake that was refused. */
export function handshakeOf(message: unknown, answer: unknown): Handshake | undefined {
  if (!isHandshake(message) || !isObject(answer) || !isObject(answer.result)) return undefined
  // One that was answered had parameters, and capabilities that are an object or none.
  const { clientInfo, capabilities = {} } = message.params as Params
  const { name, version } = isObject(clientInfo) ? clientInfo : {}
  return {
    protocolVersion: answer.result.protocolVersion as string,
    client: { name: text(name), version: text(version), capabilities: capabilities as ClientCapabilities },
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
