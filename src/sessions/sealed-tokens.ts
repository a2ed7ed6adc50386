/**
 * Tokens that only this server can read: what it would otherwise have to remember travels with the client,
 * encrypted and authenticated.
 */
import { runtime } from '#runtime'
import { fromBase64Url, toBase64Url } from '../support/base64.js'

/** What a token is for. A token sealed for one purpose does not open for another. */
export type Purpose = 'session' | 'state' | 'cursor'

const MIN_SECRET_BYTES = 16
const RANDOM_SECRET_BYTES = 32
const MAX_TOKEN_LENGTH = 64 * 1024
const CACHE_ENTRIES = 1_000
/** Longer tokens come back once, if at all, and would make the cache's size a matter of luck. */
const MAX_CACHED_LENGTH = 4 * 1024

/** Seals with the first secret and opens with any of them, so that secrets can be replaced without ending sessions. */
export class SealedTokens {
  #secrets: readonly [Uint8Array, ...Uint8Array[]] | undefined
  /** Opened tokens, the least recently used first. */
  readonly #opened = new Map<string, Uint8Array>()

  /**
   * `undefined`: a random secret of this process, made when the first token is: Workers have no randomness before the
   * first request.
   * @throws TypeError when there is no secret, or one has fewer than 16 bytes.
   */
  constructor(secrets: readonly (string | Uint8Array)[] | undefined) {
    if (secrets === undefined) return
    const [first, ...others] = secrets
    if (first === undefined)
      throw new TypeError('McpRouter: expected `secret` to hold at least one secret; got an empty list')
    this.#secrets = [toSecret(first), ...others.map(toSecret)]
  }

  /** A base64url text of 4/3 the size of `plain` plus 54 characters. */
  seal(purpose: Purpose, plain: Uint8Array): string {
    return toBase64Url(runtime.seal(this.#known()[0], purpose, plain))
  }

  /**
   * What was sealed; `undefined` when the token is not ours, was sealed for another purpose, was changed on its way or
   * is longer than 64 KiB. The bytes are shared between calls: do not write to them.
   */
  open(purpose: Purpose, token: string): Uint8Array | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const key = `${purpose}:${token}`
    const plain = this.#opened.get(key) ?? this.#decrypt(purpose, token)
    if (plain && token.length <= MAX_CACHED_LENGTH) this.#remember(key, plain)
    return plain
  }

  /** Tells texts apart for whoever has the first secret, and nothing about them to anybody else. */
  digest(text: string): string {
    return toBase64Url(runtime.sha256(`${toBase64Url(this.#known()[0])}:${text}`))
  }

  #known(): readonly [Uint8Array, ...Uint8Array[]] {
    this.#secrets ??= [runtime.random(RANDOM_SECRET_BYTES)]
    return this.#secrets
  }

  #decrypt(purpose: Purpose, token: string): Uint8Array | undefined {
    const sealed = fromBase64Url(token)
    if (!sealed) return undefined
    for (const secret of this.#known()) {
      const plain = runtime.open(secret, purpose, sealed)
      if (plain) return plain
    }
    return undefined
  }

  /** A Map keeps the order of insertion, so inserting again makes an entry the most recently used. */
  #remember(key: string, plain: Uint8Array): void {
    this.#opened.delete(key)
    this.#opened.set(key, plain)
    if (this.#opened.size <= CACHE_ENTRIES) return
    for (const leastRecent of this.#opened.keys()) {
      this.#opened.delete(leastRecent)
      return
    }
  }
}

function toSecret(secret: string | Uint8Array): Uint8Array {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (bytes.length >= MIN_SECRET_BYTES) return bytes
  throw new TypeError(
    `McpRouter: expected \`secret\` (or MCP_ROUTER_SECRET) to have at least ${MIN_SECRET_BYTES} bytes; got ${bytes.length}: use a random text, such as the output of \`openssl rand -base64 32\`.`,
  )
}
