/**
 * The platform functions that the core needs. `#runtime` resolves to `integrations/node/runtime.ts`
 * under the package's `node` condition and to `src/support/portable-runtime.ts` everywhere else.
 */
export interface Runtime {
  /** Cryptographically secure random bytes. */
  random(length: number): Uint8Array
  /** SHA-256 of a text (UTF-8). 32 bytes. */
  sha256(text: string): Uint8Array
  /** The same as base64url without padding. */
  digest(text: string): string
  /**
   * AES-256-GCM under a key that belongs to this one token: HKDF-SHA-256(secret, salt = 24 random bytes, info = purpose).
   * Returns salt (24 bytes), ciphertext, tag (16 bytes), in that order.
   */
  seal(secret: Uint8Array, purpose: string, plain: Uint8Array): Uint8Array
  /** Reverses `seal`. Returns `undefined` when the bytes were not sealed with this secret for this purpose. */
  open(secret: Uint8Array, purpose: string, sealed: Uint8Array): Uint8Array | undefined
  /** Loads an optional package synchronously. Throws if the platform can't, or the package is missing. */
  load(name: string): unknown
  /** Reads a built file of the explorer. Rejects on platforms without the package's files. */
  explorerFile(name: string): Promise<string>
  /** Returns an environment variable. */
  env(name: string): string | undefined
}
