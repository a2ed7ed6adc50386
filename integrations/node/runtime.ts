/**
 * The platform on Node and Bun: `node:crypto`, a synchronous `require`, and the process's environment.
 * Seals to the same format as `src/support/portable-runtime.ts`.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '../../src/support/runtime.js'

const SALT_BYTES = 24
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

type Crypto = typeof import('node:crypto')
let loaded: Crypto | undefined

/** Loads `node:crypto` on first use: it takes a good part of the startup time, and stdio servers may never need it. */
function crypto(): Crypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

/** Implements `src/support/runtime.ts` for Node. */
export const runtime: Runtime = {
  random: (length) => new Uint8Array(crypto().randomBytes(length)),
  sha256: (text) => new Uint8Array(crypto().hash('sha256', text, 'buffer')),
  digest: (text) => crypto().hash('sha256', text, 'base64url'),
  seal: (secret, purpose, plain) => sealWithSalt(secret, purpose, plain, crypto().randomBytes(SALT_BYTES)),
  open,
  load,
  explorerFile,
  env: (name) => process.env[name],
}

/**
 * Seals with a given salt of 24 bytes. Exists to compare runtimes: a salt must never be used twice.
 * @internal
 */
export function sealWithSalt(
  secret: Uint8Array,
  purpose: string,
  plain: Uint8Array,
  salt: Uint8Array,
): Uint8Array {
  const { key, nonce } = deriveKey(secret, purpose, salt)
  const cipher = crypto().createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  const sealed = new Uint8Array(SALT_BYTES + plain.length + TAG_BYTES)
  sealed.set(salt)
  sealed.set(cipher.update(plain), SALT_BYTES)
  cipher.final() // writes nothing in GCM; the tag exists only after it
  sealed.set(cipher.getAuthTag(), SALT_BYTES + plain.length)
  return sealed
}

function open(secret: Uint8Array, purpose: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < SALT_BYTES + TAG_BYTES) return undefined
  const { key, nonce } = deriveKey(secret, purpose, sealed.subarray(0, SALT_BYTES))
  const decipher = crypto().createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(sealed.subarray(SALT_BYTES, -TAG_BYTES))
  try {
    decipher.final()
  } catch {
    return undefined // the tag doesn't match
  }
  return new Uint8Array(plain)
}

/** Derives a key and nonce for one token, so that no nonce is used twice with the same key. */
function deriveKey(secret: Uint8Array, purpose: string, salt: Uint8Array) {
  const bytes = new Uint8Array(crypto().hkdfSync('sha256', secret, salt, purpose, KEY_BYTES + NONCE_BYTES))
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) }
}

/** Reads a file of the explorer. Both builds share the folder `dist/explorer`; the sources use it too. */
async function explorerFile(name: string): Promise<string> {
  // The CommonJS build leaves `import.meta.url` undefined; `__filename` exists there and only there.
  const here = import.meta.url === undefined ? __filename : fileURLToPath(import.meta.url)
  const [, dist = join(dirname(here), '../../dist')] = /^(.*[\\/]dist)[\\/](?:esm|cjs)[\\/]/.exec(here) ?? []
  return readFile(join(dist, 'explorer', name), 'utf8')
}

/**
 * Loads a package: from this package (whose build bundles some under names such as `#ajv`), then from its neighbours,
 * then from the app's folder. Strict installers hide these from each other, and a bundled app keeps our files only
 * there.
 */
function load(name: string): unknown {
  // The CommonJS build leaves `import.meta.url` undefined; `__filename` exists there and only there.
  const here = createRequire(import.meta.url ?? __filename)
  const app = createRequire(join(process.cwd(), 'package.json'))
  const found =
    resolved(() => here.resolve(`#${name}`)) ??
    resolved(() => here.resolve(name)) ??
    resolved(() => createRequire(app.resolve('mcp-router')).resolve(`#${name}`))
  return found === undefined ? app(name) : here(found)
}

function resolved(resolve: () => string): string | undefined {
  try {
    return resolve()
  } catch {
    return undefined
  }
}
