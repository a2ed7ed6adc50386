/**
 * `requestState` (specification 2026-07-28, Multi-round-trip requests): the answers of earlier rounds, encrypted and bound
 * to the caller and the call. The client carries it; only long states go to the store.
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
  /** The id of the multi-round call in the store. */
  readonly id: string
  /** The answers of earlier rounds by their keys. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Keys of requests whose answers count only after they were sent. */
  readonly bound: readonly string[]
}

interface Sealed extends RequestState {
  /** Digest of the caller; `null` for an anonymous one. */
  readonly caller: string | null
  /** Digest of the call. */
  readonly binding: string
  /** Milliseconds since the epoch: for other processes. */
  readonly expiresAt: number
  /** The id of the process that sealed it. */
  readonly life: string
  /** When it expires in that process, on the clock of `performance.now()`. */
  readonly until: number
}

/** Longer states go to the store, because clients send them with every round. Characters. */
const longestState = 32 * 1024
/** Limit of all answers of a call. Bytes of JSON. */
const longestAnswers = 1024 * 1024

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Opens a state. Throws 403 for another caller's, and -32602 for one that isn't ours, is of another call, or expired. */
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

/** The id of this process. Created on first use: Workers have no randomness before the first request. */
function thisLife(): string {
  life ??= toBase64Url(runtime.random(9))
  return life
}

/**
 * Whether a state expired. Uses the wall clock only for states of other processes: it may be set back, and a state must
 * not outlive the records of `once` and of used confirmations.
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

/** Digest of method, name or URI, and arguments, so that a state is valid for the same call only. */
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

/** Serializes a JSON value with sorted keys. */
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

  /** Returns a key for the request. Repeated and changed requests get keys of their own. */
  nameOf(request: InputRequest): string {
    const digest = toBase64Url(runtime.sha256(canonicalJson(request)).subarray(0, 9))
    const count = (this.#counts.get(digest) ?? 0) + 1
    this.#counts.set(digest, count)
    return count === 1 ? digest : `${digest}.${count}`
  }
}
