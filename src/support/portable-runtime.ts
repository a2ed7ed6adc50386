/**
 * The runtime without Node: cryptography in JavaScript, and web globals. Sealed values are compatible with
 * `integrations/node/runtime.ts`.
 */
import { gcm } from '@noble/ciphers/aes.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { toBase64Url } from './base64.js'
import type { Runtime } from './runtime.js'

const SALT_BYTES = 24
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

const utf8 = new TextEncoder()

/** Implements `Runtime` with web globals only. */
export const runtime: Runtime = {
  random,
  sha256: (text) => sha256(utf8.encode(text)),
  digest: (text) => toBase64Url(sha256(utf8.encode(text))),
  seal: (secret, purpose, plain) => sealWithSalt(secret, purpose, plain, random(SALT_BYTES)),
  open,
  load,
  explorerFile,
  env: (name) => globalThis.process?.env?.[name],
}

/**
 * `seal` under a given salt of 24 bytes, for comparing runtimes. A salt must never be used twice.
 * @internal
 */
export function sealWithSalt(
  secret: Uint8Array,
  purpose: string,
  plain: Uint8Array,
  salt: Uint8Array,
): Uint8Array {
  const sealed = new Uint8Array(SALT_BYTES + plain.length + TAG_BYTES)
  sealed.set(salt)
  sealed.set(cipherFor(secret, purpose, salt).encrypt(plain), SALT_BYTES)
  return sealed
}

function open(secret: Uint8Array, purpose: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < SALT_BYTES + TAG_BYTES) return undefined
  const cipher = cipherFor(secret, purpose, sealed.subarray(0, SALT_BYTES))
  try {
    return cipher.decrypt(sealed.subarray(SALT_BYTES))
  } catch {
    return undefined // the tag doesn't match
  }
}

/** Derives key and nonce from the salt, so that no nonce is used twice with a key. */
function cipherFor(secret: Uint8Array, purpose: string, salt: Uint8Array) {
  const bytes = hkdf(sha256, secret, salt, utf8.encode(purpose), KEY_BYTES + NONCE_BYTES)
  return gcm(bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES))
}

function random(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length))
}

function explorerFile(): Promise<never> {
  return Promise.reject(new Error('this platform cannot read files of the package'))
}

function load(name: string): never {
  throw new Error(
    `This platform cannot load the package "${name}" by itself: import it and pass it to McpRouter in the option \`schemas\`.`,
  )
}
