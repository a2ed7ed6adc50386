/** Reads an OpenAPI document, from an object, a file or a URL, as JSON or YAML. */

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runtime } from '../runtime.js'

export type Json = { [key: string]: unknown }

/** A document, the path of a file, or a URL. */
export type DocumentSource = object | string | URL

/** Larger ones are no descriptions of an API. */
const mostBytes = 32 * 1024 * 1024
const longestFetch = 30_000

/**
 * `owner` names who asked in messages.
 * @throws Error for what cannot be fetched, read or parsed, and for what is no OpenAPI 3 document.
 */
export async function readDocument(source: DocumentSource, owner: string): Promise<Json> {
  if (!isRemote(source)) {
    return isFile(source)
      ? parsed(await readFile(pathOf(source), 'utf8').catch(failedToRead(source, owner)), source, owner)
      : given(source, owner)
  }
  return parsed(await fetchText(String(source), owner), source, owner)
}

/** The same at once, for what is here. @throws Error as `readDocument` does. */
export function readDocumentNow(source: DocumentSource, owner: string): Json {
  if (!isFile(source)) return given(source, owner)
  let text: string
  try {
    text = readFileSync(pathOf(source), 'utf8')
  } catch (error) {
    return failedToRead(source, owner)(error)
  }
  return parsed(text, source, owner)
}

function failedToRead(source: string | URL, owner: string): (error: unknown) => never {
  return (cause) => {
    throw new Error(`${owner}: ${source} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/** Whether it has to be fetched. */
export function isRemote(source: DocumentSource): source is string | URL {
  return isFile(source) && /^https?:/i.test(String(source))
}

function isFile(source: DocumentSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL
}

function given(source: object, owner: string): Json {
  return asDocument(source, { owner, where: 'the document' })
}

function parsed(text: string, source: string | URL, owner: string): Json {
  const where = String(source)
  if (text.length > mostBytes) throw tooLarge({ owner, where })
  return asDocument(parse(text, { owner, where }), { owner, where })
}

/** For messages. */
interface Place {
  readonly owner: string
  readonly where: string
}

function pathOf(source: string | URL): string {
  return source instanceof URL || source.startsWith('file:') ? fileURLToPath(source) : source
}

/** No credentials are sent along. */
async function fetchText(url: string, owner: string): Promise<string> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(longestFetch),
    headers: { accept: 'application/json, application/yaml, */*;q=0.5' },
  })
  if (!response.ok) throw new Error(`${owner}: ${url} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw tooLarge({ owner, where: url })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge({ owner, where }: Place): Error {
  return new Error(`${owner}: ${where} is larger than ${mostBytes} bytes`)
}

/** JSON is YAML too, but its own parser is a hundred times faster. */
function parse(text: string, place: Place): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (/^\s*[{[]/.test(text) && /\.json($|\?)/i.test(place.where)) throw unreadable(place, error)
  }
  const { parse: parseYaml } = loadYaml(place)
  try {
    return parseYaml(text, { merge: true, maxAliasCount: 100, logLevel: 'error' })
  } catch (error) {
    throw unreadable(place, error)
  }
}

interface Yaml {
  parse(text: string, options: object): unknown
}

function loadYaml({ owner }: Place): Yaml {
  try {
    return runtime.load('yaml') as Yaml // the function that this package exports
  } catch (error) {
    throw new Error(`${owner}: YAML documents need the package "yaml"; install it, or pass JSON`, {
      cause: error,
    })
  }
}

function unreadable({ owner, where }: Place, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new Error(`${owner}: ${where} is neither JSON nor YAML: ${reason}`, { cause })
}

function asDocument(value: unknown, { owner, where }: Place): Json {
  const expected = 'expected an OpenAPI 3.0, 3.1 or 3.2 document'
  if (!isObject(value)) throw new TypeError(`${owner}: ${expected}, got ${typeof value} in ${where}`)
  if (value.swagger !== undefined) {
    throw new TypeError(
      `${owner}: ${expected}, got Swagger ${String(value.swagger)}; convert it first, as swagger2openapi does`,
    )
  }
  if (typeof value.openapi !== 'string' || !/^3\.\d/.test(value.openapi)) {
    throw new TypeError(`${owner}: ${expected}, got \`openapi: ${String(value.openapi)}\` in ${where}`)
  }
  if (!isObject(value.paths)) throw new TypeError(`${owner}: ${expected}, got one without \`paths\``)
  return value
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
