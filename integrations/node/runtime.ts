/**
 * The platform as Node and Bun give it: `node:crypto`, a synchronous `require`, the process's environment.
 * Seals the same bytes as `src/support/portable-runtime.ts`.
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

/** Loaded when it is first needed, which on stdio may be never: it is a good part of the time to start. */
function crypto(): Crypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

/** What `src/support/runtime.ts` asks of Node. */
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
 * `seal` under a given salt of 24 bytes, for comparing runtimes. A salt must never be used twice.
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
    return undefined // the tag does not belong to these bytes
  }
  return new Uint8Array(plain)
}

/** Key and nonce belong to one token, so a nonce cannot meet its key a second time. */
function deriveKey(secret: Uint8Array, purpose: string, salt: Uint8Array) {
  const bytes = new Uint8Array(crypto().hkdfSync('sha256', secret, salt, purpose, KEY_BYTES + NONCE_BYTES))
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) }
}

/** They are beside both builds, whichever file of a build this is in; the source has them where it builds to. */
async function explorerFile(name: string): Promise<string> {
  // The CommonJS build leaves `import.meta.url` undefined; `__filename` exists there and only there.
  const here = import.meta.url === undefined ? __filename : fileURLToPath(import.meta.url)
  const [, dist = join(dirname(here), '../../dist')] = /^(.*[\\/]dist)[\\/](?:esm|cjs)[\\/]/.exec(here) ?? []
  return readFile(join(dist, 'explorer', name), 'utf8')
}

/**
 * Looks into this package first (its build names what it brings along `#ajv`), then beside it, then from the app's folder:
 * strict installers hide one from the other, and an app that was bundled has left our files there.
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
