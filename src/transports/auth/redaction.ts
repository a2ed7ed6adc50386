/** What functions of the host throw that know a token, as log and `onError` may have it: without the token that it speaks of. */

import { exposedStatus, messageOf } from '../../errors/classify-error.js'
import { brandOf, McpError, mark } from '../../errors/errors.js'

const placeholder = '…'
/** Messages quote the beginning of a long token; that much of it is recognised. */
const recognised = 16
/** Chains of causes may be circles, or have no end. */
const mostErrors = 50

export class Redaction {
  readonly #secret: RegExp
  /** By what they are copies of. */
  readonly #copies = new Map<object, Error>()

  constructor(token: string) {
    this.#secret = new RegExp([token, encodeURIComponent(token)].map(toPattern).join('|'), 'g')
  }

  text(text: string): string {
    return text.replace(this.#secret, placeholder)
  }

  /**
   * A copy with name, message, stack, causes, and whatever else is no object. Requests, headers and the like are left
   * out: nobody can tell where they hide the token.
   */
  error(error: unknown): unknown {
    return isReference(error) ? this.#copyOf(error) : this.#primitive(error)
  }

  /**
   * What a function of the host threw that was given the token. What the caller is to read stays a refusal; everything
   * else becomes the cause of a fault.
   */
  thrown(error: unknown, owner: string): unknown {
    const brand = brandOf(error)
    if (brand === 'mcp') return this.#refusal(error as McpError)
    const copy = this.error(error)
    if (!(copy instanceof Error)) return new Error(`${owner} failed`, { cause: copy })
    if (brand !== undefined) {
      mark(copy, brand)
      return copy
    }
    const status = statusOf(error)
    if (status === undefined) return new Error(`${owner} failed`, { cause: copy })
    return Object.assign(copy, status === 0 ? { expose: true } : { status })
  }

  #refusal(error: McpError): McpError {
    const { code, message, data, http, own } = error
    const text = this.text(message)
    return text === message ? error : new McpError(code, text, data, http, own)
  }

  #copyOf(original: object): Error | undefined {
    const known = this.#copies.get(original)
    if (known !== undefined || this.#copies.size >= mostErrors) return known
    const copy = new Error(this.text(messageOf(original)))
    this.#copies.set(original, copy)
    const { name, stack, cause, errors } = read(original, ['name', 'stack', 'cause', 'errors'])
    if (typeof name === 'string') add(copy, 'name', this.text(name))
    add(copy, 'stack', typeof stack === 'string' ? this.text(stack) : `${copy.name}: ${copy.message}`)
    if (cause !== undefined) add(copy, 'cause', this.error(cause))
    if (Array.isArray(errors)) {
      const kept = errors.slice(0, mostErrors).map((one) => this.error(one))
      add(copy, 'errors', kept)
    }
    for (const [key, value] of Object.entries(read(original, keysOf(original)))) {
      if (!Object.hasOwn(copy, key) && !isReference(value))
        Object.assign(copy, { [this.text(key)]: this.#primitive(value) })
    }
    return copy
  }

  #primitive(value: unknown): unknown {
    return typeof value === 'string' || typeof value === 'symbol' ? this.text(String(value)) : value
  }
}

/** `undefined`: for nobody to read. Never throws. */
function statusOf(error: unknown): number | undefined {
  try {
    return exposedStatus(error)
  } catch {
    return undefined
  }
}

/** As errors have them: they are not listed. */
function add(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true })
}

function isReference(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function keysOf(object: object): string[] {
  try {
    return Object.keys(object)
  } catch {
    return []
  }
}

/** Without those that cannot be read. */
function read(object: object, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null)
  for (const key of keys) {
    try {
      found[key] = (object as Record<string, unknown>)[key]
    } catch {}
  }
  return found
}

/** Of a long token its beginning, and whatever of it follows. */
function toPattern(token: string): string {
  const start = token.slice(0, recognised).replace(/[.+]/g, '\\$&')
  return token.length > recognised ? `${start}[\\w.~+/%=-]*` : start
}
