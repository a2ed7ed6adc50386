/** Limits on data from servers, so that a hostile or broken server exhausts neither memory nor the stack. */

import { ServerFailure } from './server-failure.js'

/** Limit of one response, one event of a stream, and all pages of a list. */
export const maxBytes: number = 64 * 1024 * 1024
/** How much of the body of an HTTP error is read. */
const maxErrorBytes = 64 * 1024
/** Limit of nested arrays and objects in one message. */
const maxDepth = 500

/** Reads the body of a response. The body of an HTTP error is truncated. @throws ServerFailure for a larger body */
export async function bodyText(response: Response, url: string): Promise<string> {
  if (response.body === null) return ''
  const limit = response.ok ? maxBytes : maxErrorBytes
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // The explorer uses this too, and not every browser can iterate over a body.
  const reader = response.body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.byteLength
      if (bytes > limit && response.ok) throw tooLarge(url)
      text += decoder.decode(next.value, { stream: true })
      if (bytes > limit) return text
    }
    return text + decoder.decode()
  } finally {
    // Closes the connection if the body isn't read to its end.
    reader.cancel().catch(() => {})
  }
}

export function tooLarge(url: string): ServerFailure {
  return new ServerFailure(`${url} sent more than ${maxBytes / 1024 / 1024} MiB in one response`)
}

/** Parses JSON. Returns `undefined` for invalid JSON and for deeper nesting than any sensible message has. */
export function parseJson(text: string): unknown {
  if (isDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the JSON nests too deeply. Brackets inside strings don't count. */
function isDeep(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) isString = !isString
    else if (isString) at += code === backslash ? 1 : 0
    else if (code === openArray || code === openObject) depth += 1
    else if (code === openArray + 2 || code === openObject + 2) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
/** The code of each closing bracket is the opening one's plus 2. */
const openArray = 0x5b
const openObject = 0x7b
