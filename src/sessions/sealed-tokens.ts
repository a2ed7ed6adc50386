/**
 * Encrypted and authenticated tokens that only this server can read. They keep state with the client that the server
 * would otherwise have to store.
 */
import { runtime } from '#runtime'
import { fromBase64Url, toBase64Url } from '../support/base64.js'

/** The purpose of a token. A token sealed for one purpose doesn't open for another. */
export type Purpose = 'session' | 'state' | 'cursor'

const MIN_SECRET_BYTES = 16
const RANDOM_SECRET_BYTES = 32
const MAX_TOKEN_LENGTH = 64 * 1024
const CACHE_ENTRIES = 1_000
/** Longer tokens aren't cached: they're rarely used twice and would take too much memory. */
const MAX_CACHED_LENGTH = 4 * 1024

/** Seals with the first secret and opens with any of them, so that secrets can be rotated without ending sessions. */
export class SealedTokens {
  #secrets: readonly [Uint8Array, ...Uint8Array[]] | undefined
  /** Opened tokens, the least recently used first. */
  readonly #opened = new Map<string, Uint8Array>()

  /**
   * If `secrets` is `undefined`, uses a random secret of this process. It's created with the first token, because Workers
   * have no randomness before the first request.
   * @throws TypeError if the list is empty, or a secret has fewer than 16 bytes.
   */
  constructor(secrets: readonly (string | Uint8Array)[] | undefined) {
    if (secrets === undefined) return
    const [first, ...others] = secrets
    if (first === undefined)
      throw new TypeError('McpRouter: expected `secret` to hold at least one secret; got an empty list')
    this.#secrets = [toSecret(first), ...others.map(toSecret)]
  }

  /** Returns a base64url token, 54 characters longer than 4/3 of `plain`. */
  seal(purpose: Purpose, plain: Uint8Array): string {
    return toBase64Url(runtime.seal(this.#getSecrets()[0], purpose, plain))
  }

  /**
   * Returns the sealed bytes, or `undefined` if the token isn't from this server, was sealed for another purpose, was
   * modified, or is longer than 64 KiB. Calls share the bytes: don't write to them.
   */
  open(purpose: Purpose, token: string): Uint8Array | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const key = `${purpose}:${token}`
    const plain = this.#opened.get(key) ?? this.#decrypt(purpose, token)
    if (plain && token.length <= MAX_CACHED_LENGTH) this.#remember(key, plain)
    return plain
  }

  /** A keyed digest of `text`, which reveals nothing to anybody without the first secret. */
  digest(text: string): string {
    return toBase64Url(runtime.sha256(`${toBase64Url(this.#getSecrets()[0])}:${text}`))
  }

  #getSecrets(): readonly [Uint8Array, ...Uint8Array[]] {
    this.#secrets ??= [runtime.random(RANDOM_SECRET_BYTES)]
    return this.#secrets
  }

  #decrypt(purpose: Purpose, token: string): Uint8Array | undefined {
    const sealed = fromBase64Url(token)
    if (!sealed) return undefined
    for (const secret of this.#getSecrets()) {
      const plain = runtime.open(secret, purpose, sealed)
      if (plain) return plain
    }
    return undefined
  }

  /** Adds a token to the cache. A Map keeps insertion order, so inserting again makes an entry the most recently used. */
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
