/** Limits of what a server may send: a server that is hostile or broken fills no memory and no stack. */

import { ServerFailure } from './server-failure.js'

/** Of one answer, one event of a stream, and all pages of a list. */
export const maxBytes: number = 64 * 1024 * 1024
/** Of the body of an HTTP error: more of it is of no use. */
const maxErrorBytes = 64 * 1024
/** Levels of arrays and objects in one message. */
const maxDepth = 500

/** The body of a response. @throws ServerFailure for one that is too large; an error's is cut instead. */
export async function textOf(response: Response, url: string): Promise<string> {
  if (response.body === null) return ''
  const most = response.ok ? maxBytes : maxErrorBytes
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Not every browser that the explorer runs in can iterate over a body.
  const reader = response.body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.byteLength
      if (bytes > most && response.ok) throw tooLarge(url)
      text += decoder.decode(next.value, { stream: true })
      if (bytes > most) return text
    }
    return text + decoder.decode()
  } finally {
    // Closes the connection where more would come.
    reader.cancel().catch(() => {})
  }
}

export function tooLarge(url: string): ServerFailure {
  return new ServerFailure(`${url} sends more than ${maxBytes / 1024 / 1024} MiB in one answer`)
}

/** `undefined` for text that is not JSON, or nests deeper than any sensible message. */
export function parsed(text: string): unknown {
  if (isDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Brackets inside strings don't count. */
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
/** The closing brackets are two places behind. */
const openArray = 0x5b
const openObject = 0x7b
