/** Removes an access token from errors of the app's functions that got it, before they go to the log and `onError`. */

import { exposedStatus, messageOf } from '../../errors/classify-error.js'
import { brandOf, McpError, mark } from '../../errors/errors.js'

const placeholder = '…'
/** The number of characters by which a token is recognized, since messages may quote only the beginning of a long one. */
const recognizedLength = 16
/** The maximum number of errors that are copied, since chains of causes may be endless or circular. */
const maxErrors = 50

export class Redaction {
  readonly #secret: RegExp
  /** By their originals. */
  readonly #copies = new Map<object, Error>()

  constructor(token: string) {
    this.#secret = new RegExp([token, encodeURIComponent(token)].map(toPattern).join('|'), 'g')
  }

  /** Replaces the token in `text`. */
  text(text: string): string {
    return text.replace(this.#secret, placeholder)
  }

  /**
   * Returns a redacted copy of an error, with its name, message, stack, causes, and primitive members. Leaves out other
   * objects, such as requests and headers, because they may contain the token anywhere.
   */
  error(error: unknown): unknown {
    return isReference(error) ? this.#copyOf(error) : this.#primitive(error)
  }

  /**
   * Redacts an error thrown by one of the app's functions, named `owner`. An error meant for the caller keeps its status;
   * any other error becomes the cause of a new one.
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
    if (known !== undefined || this.#copies.size >= maxErrors) return known
    const copy = new Error(this.text(messageOf(original)))
    this.#copies.set(original, copy)
    const { name, stack, cause, errors } = read(original, ['name', 'stack', 'cause', 'errors'])
    if (typeof name === 'string') add(copy, 'name', this.text(name))
    add(copy, 'stack', typeof stack === 'string' ? this.text(stack) : `${copy.name}: ${copy.message}`)
    if (cause !== undefined) add(copy, 'cause', this.error(cause))
    if (Array.isArray(errors)) {
      const kept = errors.slice(0, maxErrors).map((one) => this.error(one))
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

/** The status of an error that may be exposed to the caller; otherwise `undefined`. Never throws. */
function statusOf(error: unknown): number | undefined {
  try {
    return exposedStatus(error)
  } catch {
    return undefined
  }
}

/** Adds a non-enumerable member, like the built-in ones of errors. */
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

/** Reads members of an object. Leaves out those whose getters throw. */
function read(object: object, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = Object.create(null)
  for (const key of keys) {
    try {
      found[key] = (object as Record<string, unknown>)[key]
    } catch {}
  }
  return found
}

/** A pattern for the token. For a long token, it matches the beginning and any token characters after it. */
function toPattern(token: string): string {
  const start = token.slice(0, recognizedLength).replace(/[.+]/g, '\\$&')
  return token.length > recognizedLength ? `${start}[\\w.~+/%=-]*` : start
}
