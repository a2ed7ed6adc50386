/** How the body of a route travels: from a value to what is sent, by the type that the route consumes. */

import { InvalidParamsError } from '../../errors/errors.js'
import { describe, isObject } from '../../support/values.js'
import { type EncodedBody, type MultipartOptions, toMultipart } from './multipart.js'
import { readUpload } from './upload.js'

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
