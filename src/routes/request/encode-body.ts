/** How the body of a route travels: from a value to what is sent, by the type that the route consumes. */

import { runtime } from '#runtime'
import { InvalidParamsError } from '../../errors/errors.js'
import { toBase64Url } from '../../support/base64.js'
import { describe, isObject } from '../../support/values.js'
import { looksLikeFile, readUpload, type Upload, type UploadOptions } from './upload.js'

/**
 * `consumes`: the media type; `undefined` means JSON. Files are what bodies of every other type are made of, but for
 * text. `undefined` comes back for no body.
 * @throws InvalidParamsError for what the type cannot carry.
 */
export function encodeBody(
  body: unknown,
  consumes: string | undefined,
  options: MultipartOptions,
): EncodedBody | undefined | Promise<EncodedBody> {
  if (body === undefined) return undefined
  const type = (consumes?.split(';')[0] ?? '').trim().toLowerCase()
  if (type === 'multipart/form-data') return toMultipart(body, options)
  if (type === 'application/x-www-form-urlencoded') return { contentType: type, body: toForm(body) }
  if (
    type === '' ||
    type === '*/*' ||
    type === 'application/*' ||
    /^application\/(?:[\w.-]+\+)?json$/.test(type)
  ) {
    const isPlain = type === '' || type.endsWith('*')
    return { contentType: isPlain ? 'application/json' : type, body: JSON.stringify(body) }
  }
  if (isText(type) && typeof body === 'string') return { contentType: `${type}; charset=utf-8`, body }
  return encodeUpload(type, body, options)
}

async function encodeUpload(type: string, body: unknown, options: MultipartOptions): Promise<EncodedBody> {
  const upload = await readUpload('body', body, options)
  return {
    contentType: type.includes('*') ? (upload.mimeType ?? 'application/octet-stream') : type,
    body: upload.bytes,
  }
}

function isText(type: string): boolean {
  return type.startsWith('text/') || /[/+]xml$|yaml$/.test(type)
}

/**
 * The body of `application/x-www-form-urlencoded`. Arrays become repeated names, objects `a[b]=c` as `qs` reads them.
 * @throws InvalidParamsError for what is no object.
 */
export function toForm(body: unknown): string {
  if (!isObject(body))
    throw new InvalidParamsError(`expected an object of form fields, got ${describe(body)}`)
  const pairs: string[] = []
  for (const [name, value] of Object.entries(body)) addPairs(pairs, name, value)
  return pairs.join('&')
}

function addPairs(pairs: string[], name: string, value: unknown): void {
  if (value === undefined) return
  if (Array.isArray(value)) {
    // Objects in lists need their index, else their members would be mixed.
    for (const [index, item] of value.entries()) {
      addPairs(pairs, isObject(item) || Array.isArray(item) ? `${name}[${index}]` : name, item)
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) addPairs(pairs, `${name}[${key}]`, member)
  } else {
    pairs.push(`${encodePart(name)}=${value === null ? '' : encodePart(String(value))}`)
  }
}

/** A lone surrogate cannot be encoded. */
function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('%20', '+')
}

export interface MultipartOptions extends UploadOptions {
  /** Arguments that are files, as the schema of the route has it. Others are files where they look like one. */
  readonly files?: ReadonlySet<string> | undefined
}

export interface EncodedBody {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/**
 * Builds the body of an object of arguments. Arrays become repeated fields; other objects JSON.
 * @throws InvalidParamsError for what is no object, and as `readUpload` does. `maxBytes` is for all files together.
 */
export async function toMultipart(body: unknown, options: MultipartOptions): Promise<EncodedBody> {
  if (!isObject(body))
    throw new InvalidParamsError(`expected an object of form fields, got ${describe(body)}`)
  const parts: Part[] = []
  let left = options.maxBytes
  for (const [name, value] of Object.entries(body)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined) continue
      if (!isFile(name, item, options)) {
        parts.push({ name, content: fieldText(item) })
        continue
      }
      const upload = await readUpload(name, item, { ...options, maxBytes: left })
      left -= upload.bytes.length
      parts.push({ name, content: upload })
    }
  }
  const boundary = `form-${toBase64Url(runtime.random(18))}`
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: join(parts, boundary) }
}

interface Part {
  readonly name: string
  readonly content: string | Upload
}

function isFile(name: string, item: unknown, { files }: MultipartOptions): boolean {
  return files?.has(name) === true || looksLikeFile(item)
}

/** A field of a form is text. */
function fieldText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function join(parts: readonly Part[], boundary: string): Uint8Array {
  const encoder = new TextEncoder()
  const pieces = parts.flatMap(({ name, content }) =>
    typeof content === 'string'
      ? [encoder.encode(`--${boundary}\r\n${disposition(name)}\r\n\r\n${content}\r\n`)]
      : [
          encoder.encode(`--${boundary}\r\n${fileHead(name, content)}\r\n\r\n`),
          content.bytes,
          encoder.encode('\r\n'),
        ],
  )
  pieces.push(encoder.encode(`--${boundary}--\r\n`))
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function fileHead(name: string, { filename, mimeType }: Upload): string {
  // Without a file name parsers take it for a field.
  const type = mimeType !== undefined && mediaType.test(mimeType) ? mimeType : 'application/octet-stream'
  return `${disposition(name)}; filename="${quoted(filename ?? name)}"\r\nContent-Type: ${type}`
}

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`
}

/** As browsers do (HTML, multipart form data): a name can end neither its quotes nor its line. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22')
}
