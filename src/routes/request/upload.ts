/** Reads files in arguments (base64, a data URI, or the URI of a resource) as bytes, within a size limit. */

import { lastPart } from '../../content/blocks.js'
import { brandOf, InvalidParamsError, type McpError } from '../../errors/errors.js'
import { readResource } from '../../methods/resources.js'
import type { MethodExchange } from '../../methods/services.js'
import { fromBase64 } from '../../support/base64.js'
import { describe, isObject } from '../../support/values.js'

export interface Upload {
  readonly bytes: Uint8Array
  readonly mimeType: string | undefined
  readonly filename: string | undefined
}

export interface UploadOptions {
  /** Maximum size of one file. */
  readonly maxBytes: number
  /** Reads a resource of this server; returns `undefined` if it doesn't exist. Nothing is fetched from the network. */
  readonly readResource?: ((uri: string) => Promise<Upload | undefined>) | undefined
}

/** 10 MiB. */
export const defaultMaxUploadBytes: number = 10 * 1024 * 1024

/** Error for strings. Their schema doesn't allow objects, so the message names only strings. */
const asText =
  'expected base64, a data URI (`data:image/png;name=photo.png;base64,…`), or the URI of a resource of this server'
const asObject =
  'expected `{ data, mimeType, filename }` with base64 in `data`, or `{ uri }` of a resource of this server'

/** Whether a value is meant as a file, if no schema says so. A plain string is text. */
export function looksLikeFile(value: unknown): boolean {
  if (typeof value === 'string') return /^data:[^,]*;base64,/i.test(value)
  if (!isObject(value)) return false
  const { type, data, blob, mimeType, filename, uri } = value
  if (type === 'resource_link' || type === 'resource') return true
  const named = typeof mimeType === 'string' || typeof filename === 'string'
  return named && [data, blob, uri].some((part) => typeof part === 'string')
}

/**
 * Reads the bytes of an argument. `name`: the argument's name, for messages.
 * @throws InvalidParamsError if the value isn't a file, is too large, or links to a resource that doesn't exist.
 */
export async function readUpload(name: string, value: unknown, options: UploadOptions): Promise<Upload> {
  const upload = await readAny(name, value, options)
  if (upload.bytes.length > options.maxBytes) {
    throw new InvalidParamsError(
      `${name}: expected a file of at most ${options.maxBytes} bytes, got ${upload.bytes.length}`,
    )
  }
  return upload
}

async function readAny(name: string, value: unknown, options: UploadOptions): Promise<Upload> {
  if (typeof value === 'string') {
    return isUri(value) ? readUri(name, value, options) : readText(name, value, options)
  }
  if (!isObject(value)) throw new InvalidParamsError(`${name}: ${asText}; got ${describe(value)}`)
  const file = isObject(value.resource) ? value.resource : value
  const content = await readParts(name, file, options)
  return {
    bytes: content.bytes,
    mimeType: stringOf(file.mimeType) ?? content.mimeType,
    filename: stringOf(file.filename) ?? stringOf(file.name) ?? content.filename,
  }
}

/** Whether a text is a URI; base64 has no colon. The schema of a string doesn't allow an object with a link. */
function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text)
}

async function readParts(
  name: string,
  { data, blob, text, uri }: Record<string, unknown>,
  options: UploadOptions,
): Promise<Upload> {
  const encoded = data ?? blob
  if (typeof encoded === 'string') return readText(name, encoded, options)
  if (typeof text === 'string')
    return { bytes: new TextEncoder().encode(text), mimeType: 'text/plain', filename: undefined }
  if (typeof uri === 'string') return readUri(name, uri, options)
  throw new InvalidParamsError(`${name}: ${asObject}; got an object without \`data\` and \`uri\``)
}

function readText(name: string, value: string, options: UploadOptions): Upload {
  if (/^data:/i.test(value)) return readDataUri(name, value, options)
  return { bytes: readBase64(name, value, options), mimeType: undefined, filename: undefined }
}

async function readUri(name: string, uri: string, options: UploadOptions): Promise<Upload> {
  if (/^data:/i.test(uri)) return readDataUri(name, uri, options)
  const found = await options.readResource?.(uri)
  if (found === undefined) {
    throw new InvalidParamsError(
      `${name}: there is no resource ${describe(uri)} on this server, and nothing is fetched from elsewhere; send the bytes as base64`,
    )
  }
  return { ...found, filename: found.filename ?? lastPart(uri) }
}

function readDataUri(name: string, uri: string, options: UploadOptions): Upload {
  const comma = uri.indexOf(',')
  if (comma < 0) throw new InvalidParamsError(`${name}: expected a comma in the data URI`)
  const [mimeType = '', ...parameters] = uri.slice('data:'.length, comma).split(';')
  const content = uri.slice(comma + 1)
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')
  const bytes = isBase64
    ? readBase64(name, decodePercent(name, content), options)
    : new TextEncoder().encode(decodePercent(name, content))
  const filename = parameters.find((parameter) => /^(?:file)?name=/i.test(parameter))
  return {
    bytes,
    mimeType: mimeType === '' ? 'text/plain' : mimeType,
    filename: filename && decodePercent(name, filename.slice(filename.indexOf('=') + 1)),
  }
}

/** Reads base64 leniently: models add line breaks, omit padding and mix alphabets. */
function readBase64(name: string, given: string, { maxBytes }: UploadOptions): Uint8Array {
  // Checked before copying. Base64 takes 4 characters for 3 bytes, plus line breaks.
  if (given.length > 2 * maxBytes + 100) {
    throw new InvalidParamsError(`${name}: expected a file of at most ${maxBytes} bytes, got more`)
  }
  const bare = given
    .replace(/[\s=]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const bytes = fromBase64(bare.padEnd(Math.ceil(bare.length / 4) * 4, '='))
  if (bytes === undefined) throw new InvalidParamsError(`${name}: ${asText}; got text that is not base64`)
  return bytes
}

function decodePercent(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidParamsError(`${name}: expected the data URI to be percent-encoded`)
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * Reads a linked resource; returns `undefined` if this caller can't see one.
 * @throws McpError as reading does.
 */
export async function readLinked(exchange: MethodExchange, uri: string): Promise<Upload | undefined> {
  const request = { ...exchange.request, params: { uri } }
  try {
    const { result } = await readResource(exchange.inner(request))
    const [first] = result.contents
    if (first === undefined) return undefined
    const bytes =
      first.blob === undefined ? new TextEncoder().encode(first.text ?? '') : fromBase64(first.blob)
    return bytes && { bytes, mimeType: first.mimeType, filename: undefined }
  } catch (error) {
    const isMissing =
      brandOf(error) === 'mcp' && (error as McpError).code === exchange.revision.resourceNotFound
    if (isMissing) return undefined
    throw error
  }
}
