/** Reads an OpenAPI document from an object, a file or a URL, as JSON or YAML. */

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runtime } from '../runtime.js'

export type Json = { [key: string]: unknown }

/** A document, the path of a file, or a URL. */
export type DocumentSource = object | string | URL

/** Limit of a document's size. */
const maxBytes = 32 * 1024 * 1024
const fetchTimeout = 30_000

/**
 * Reads a document. `owner` names the caller in error messages.
 * @throws Error for a source that can't be fetched, read or parsed, or that isn't an OpenAPI 3 document.
 */
export async function readDocument(source: DocumentSource, owner: string): Promise<Json> {
  if (!isRemote(source)) {
    return isFile(source)
      ? fromText(await readFile(pathOf(source), 'utf8').catch(failedToRead(source, owner)), source, owner)
      : fromObject(source, owner)
  }
  return fromText(await fetchText(String(source), owner), source, owner)
}

/** Reads an object or a local file synchronously. @throws Error as `readDocument` does. */
export function readDocumentSync(source: DocumentSource, owner: string): Json {
  if (!isFile(source)) return fromObject(source, owner)
  let text: string
  try {
    text = readFileSync(pathOf(source), 'utf8')
  } catch (error) {
    return failedToRead(source, owner)(error)
  }
  return fromText(text, source, owner)
}

function failedToRead(source: string | URL, owner: string): (error: unknown) => never {
  return (cause) => {
    throw new Error(`${owner}: ${source} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/** Whether the source must be fetched over HTTP. */
export function isRemote(source: DocumentSource): source is string | URL {
  return isFile(source) && /^https?:/i.test(String(source))
}

function isFile(source: DocumentSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL
}

function fromObject(source: object, owner: string): Json {
  return asDocument(source, { owner, where: 'the document' })
}

function fromText(text: string, source: string | URL, owner: string): Json {
  const where = String(source)
  if (text.length > maxBytes) throw tooLarge({ owner, where })
  return asDocument(parse(text, { owner, where }), { owner, where })
}

/** Names the caller and the source in error messages. */
interface DocumentLabel {
  readonly owner: string
  readonly where: string
}

function pathOf(source: string | URL): string {
  return source instanceof URL || source.startsWith('file:') ? fileURLToPath(source) : source
}

/** Fetches a document, without credentials. */
async function fetchText(url: string, owner: string): Promise<string> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(fetchTimeout),
    headers: { accept: 'application/json, application/yaml, */*;q=0.5' },
  })
  if (!response.ok) throw new Error(`${owner}: ${url} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge({ owner, where: url })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge({ owner, where }: DocumentLabel): Error {
  return new Error(`${owner}: ${where} is larger than ${maxBytes} bytes`)
}

/** Parses JSON or YAML. JSON is valid YAML, but `JSON.parse` is a hundred times faster. */
function parse(text: string, place: DocumentLabel): unknown {
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

function loadYaml({ owner }: DocumentLabel): Yaml {
  try {
    return runtime.load('yaml') as Yaml // the namespace has the function `parse`
  } catch (error) {
    throw new Error(`${owner}: YAML documents need the package "yaml"; install it, or pass JSON`, {
      cause: error,
    })
  }
}

function unreadable({ owner, where }: DocumentLabel, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new Error(`${owner}: ${where} is neither JSON nor YAML: ${reason}`, { cause })
}

function asDocument(value: unknown, { owner, where }: DocumentLabel): Json {
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
