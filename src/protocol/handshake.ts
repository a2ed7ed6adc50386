/** What `initialize` settled, for connections that later messages come in on (specification, Lifecycle). */

import type { ClientInfo } from '../context.js'
import { isObject } from './jsonrpc.js'

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
  const { protocolVersion } = answer.result
  if (typeof protocolVersion !== 'string') return undefined
  const params = isObject(message.params) ? message.params : {}
  const info = isObject(params.clientInfo) ? params.clientInfo : {}
  const capabilities = isObject(params.capabilities) ? params.capabilities : {}
  return { protocolVersion, client: { name: text(info.name), version: text(info.version), capabilities } }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
