/**
 * `requestState` (specification 2026-07-28, Multi-round-trip requests): what earlier rounds came to travels with the
 * client, encrypted and bound to this caller and this call. Nothing is kept here, unless it is too long to travel.
 */

import { runtime } from '#runtime'
import { ErrorCode, refusal } from '../errors/errors.js'
import { invalidParams } from '../protocol/params.js'
import { type Exchange, nameOf } from '../request/exchange.js'
import { ownerDigest } from '../sessions/owner.js'
import { toBase64Url } from '../support/base64.js'
import { isObject } from '../support/values.js'
import type { InputRequest } from './client-request.js'

export interface RequestState {
  /** Names the conversation in the store. */
  readonly id: string
  /** The answers of earlier rounds by their keys. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Keys of questions that count only because they were asked. */
  readonly bound: readonly string[]
}

interface Sealed extends RequestState {
  /** Digest of the caller; `null`: an anonymous one. */
  readonly caller: string | null
  /** Digest of the call. */
  readonly binding: string
  /** Milliseconds since the epoch: for other processes. */
  readonly expiresAt: number
  /** The process that sealed it, and when it expires there, as `performance.now()` counts. */
  readonly life: string
  readonly until: number
}

/** Longer ones go to the store: clients send them back with every round. */
const longestState = 32 * 1024
/** More than people and models answer. */
const longestAnswers = 1024 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What the rounds before came to. Throws 403 for another caller's, and -32602 where it is not ours, another call's, or too old. */
export async function openState(exchange: Exchange, state: unknown): Promise<RequestState> {
  const { services } = exchange
  const token = typeof state === 'string' ? state : ''
  const opened = services.tokens.open('state', token)
  const sealed = opened === undefined ? undefined : await readSealed(exchange, decoder.decode(opened))
  if (sealed === undefined || isOver(sealed)) throw refused('it is unknown or expired; call again without it')
  if (sealed.caller !== ownerDigest(exchange, 'a question')) {
    const message = 'Forbidden: this requestState belongs to another caller'
    throw refusal(ErrorCode.Forbidden, message, { status: 403 })
  }
  if (sealed.binding !== bindingOf(exchange)) {
    services.log.request.warn('a requestState was refused: it belongs to another call')
    throw refused('it belongs to another call')
  }
  return sealed
}

export async function sealState(exchange: Exchange, rounds: RequestState): Promise<string> {
  const { services } = exchange
  const { stateTtlMs } = services
  const times = {
    expiresAt: Date.now() + stateTtlMs,
    life: thisLife(),
    until: performance.now() + stateTtlMs,
  }
  const binding = { caller: ownerDigest(exchange, 'a question'), binding: bindingOf(exchange) }
  const text = JSON.stringify({ ...rounds, ...binding, ...times } satisfies Sealed)
  if (text.length > longestAnswers)
    throw invalidParams(
      `expected the answers to have at most ${longestAnswers} characters, got ${text.length}`,
    )
  const sealed = services.tokens.seal('state', encoder.encode(text))
  if (sealed.length <= longestState) return sealed
  const key = `state:${toBase64Url(runtime.random(18))}`
  await services.store.set(key, text, stateTtlMs)
  return services.tokens.seal('state', encoder.encode(JSON.stringify({ key })))
}

let life: string | undefined

/** Names this process. Made when first needed: Workers have no randomness before the first request. */
function thisLife(): string {
  life ??= toBase64Url(runtime.random(9))
  return life
}

/**
 * By the time of day only where another process sealed it: that may be set back, and what is remembered of a conversation
 * (what it did once, a confirmation that was used) must not be forgotten before its state expires.
 */
function isOver(sealed: Sealed): boolean {
  return sealed.life === thisLife() ? sealed.until <= performance.now() : sealed.expiresAt <= Date.now()
}

async function readSealed({ services }: Exchange, text: string): Promise<Sealed | undefined> {
  const value = JSON.parse(text) as Sealed | { readonly key: string }
  if (!('key' in value)) return value
  const kept = await services.store.get(value.key)
  return kept === undefined ? undefined : (JSON.parse(kept) as Sealed)
}

/** Method, name or URI, and arguments: a state opens for the same call only. */
function bindingOf(exchange: Exchange): string {
  const { services, request, params } = exchange
  const about = [
    services.info.name,
    request.method,
    nameOf(exchange) ?? null,
    isObject(params.arguments) ? params.arguments : {},
  ]
  return runtime.digest(canonicalJson(about))
}

function refused(why: string): Error {
  return invalidParams(`requestState was refused: ${why}`)
}

/** Takes what `JSON.parse` gives. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`)
  return `{${members.join(',')}}`
}

export class RequestKeys {
  readonly #counts = new Map<string, number>()

  /** The same question again is another one; a changed question too. */
  nameOf(request: InputRequest): string {
    const digest = toBase64Url(runtime.sha256(canonicalJson(request)).subarray(0, 9))
    const count = (this.#counts.get(digest) ?? 0) + 1
    this.#counts.set(digest, count)
    return count === 1 ? digest : `${digest}.${count}`
  }
}
