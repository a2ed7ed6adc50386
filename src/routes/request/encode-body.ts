/** Encodes the body of a request in the media type that the route consumes. */

import { runtime } from '#runtime'
import { InvalidParamsError } from '../../errors/errors.js'
import { toBase64Url } from '../../support/base64.js'
import { describe, isObject } from '../../support/values.js'
import { looksLikeFile, readUpload, type Upload, type UploadOptions } from './upload.js'

/**
 * Encodes a body. `consumes`: the media type; default: JSON. In media types other than JSON, forms and text, the body
 * must be a file. Returns `undefined` if there is no body.
 * @throws InvalidParamsError for values that the media type can't represent.
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
 * Encodes `application/x-www-form-urlencoded`. Arrays become repeated names, objects `a[b]=c` as `qs` reads them.
 * @throws InvalidParamsError if the body isn't an object.
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
    // Objects in lists need an index, or their members would be mixed up.
    for (const [index, item] of value.entries()) {
      addPairs(pairs, isObject(item) || Array.isArray(item) ? `${name}[${index}]` : name, item)
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) addPairs(pairs, `${name}[${key}]`, member)
  } else {
    pairs.push(`${encodePart(name)}=${value === null ? '' : encodePart(String(value))}`)
  }
}

/** Encodes text for a form. Lone surrogates can't be encoded and are replaced. */
function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('%20', '+')
}

export interface MultipartOptions extends UploadOptions {
  /** Arguments that are files according to the route's schema. Others are files if they look like one. */
  readonly files?: ReadonlySet<string> | undefined
}

export interface EncodedBody {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/**
 * Encodes an object as `multipart/form-data`. Arrays become repeated fields, other objects JSON. `maxBytes` limits all
 * files together.
 * @throws InvalidParamsError if the body isn't an object, and as `readUpload` does.
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

/** Returns the text of a form field. */
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
  // Parsers treat a part without a file name as a field.
  const type = mimeType !== undefined && mediaType.test(mimeType) ? mimeType : 'application/octet-stream'
  return `${disposition(name)}; filename="${quoted(filename ?? name)}"\r\nContent-Type: ${type}`
}

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`
}

/** Escapes a name as browsers do (HTML standard, Multipart form data), so that it can't end the quotes or the line. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22')
}
