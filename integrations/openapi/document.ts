/** Reads an OpenAPI document, from an object, a file or a URL, as JSON or YAML. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runtime } from '../node/runtime.js'

export type Json = { [key: string]: unknown }

/** A document, the path of a file, or a URL. */
export type DocumentSource = object | string | URL

/** Larger ones are no descriptions of an API. */
const mostBytes = 32 * 1024 * 1024
const longestFetch = 30_000

/**
 * @throws Error for what cannot be fetched, read or parsed, and for what is no OpenAPI 3 document.
 */
export async function readDocument(source: DocumentSource): Promise<Json> {
  if (typeof source !== 'string' && !(source instanceof URL)) return asDocument(source, 'the document')
  const where = String(source)
  const isRemote = /^https?:/i.test(where)
  const text = isRemote ? await fetchText(where) : await readText(source)
  return asDocument(parse(text, where), where)
}

async function readText(source: string | URL): Promise<string> {
  const path = source instanceof URL || source.startsWith('file:') ? fileURLToPath(source) : source
  return bounded(await readFile(path, 'utf8'), path)
}

/** No credentials are sent along. */
async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(longestFetch),
    headers: { accept: 'application/json, application/yaml, */*;q=0.5' },
  })
  if (!response.ok) throw new Error(`addOpenApi(): ${url} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw tooLarge(url)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function bounded(text: string, where: string): string {
  if (text.length > mostBytes) throw tooLarge(where)
  return text
}

function tooLarge(where: string): Error {
  return new Error(`addOpenApi(): ${where} is larger than ${mostBytes} bytes`)
}

/** JSON is YAML too, but its own parser is a hundred times faster. */
function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (/^\s*[{[]/.test(text) && /\.json($|\?)/i.test(where)) throw unreadable(where, error)
  }
  const { parse: parseYaml } = loadYaml()
  try {
    return parseYaml(text, { merge: true, maxAliasCount: 100, logLevel: 'error' })
  } catch (error) {
    throw unreadable(where, error)
  }
}

interface Yaml {
  parse(text: string, options: object): unknown
}

function loadYaml(): Yaml {
  try {
    return runtime.load('yaml') as Yaml // the function that this package exports
  } catch (error) {
    throw new Error('addOpenApi(): YAML documents need the package "yaml"; install it, or pass JSON', {
      cause: error,
    })
  }
}

function unreadable(where: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new Error(`addOpenApi(): ${where} is neither JSON nor YAML: ${reason}`, { cause })
}

function asDocument(value: unknown, where: string): Json {
  const expected = 'expected an OpenAPI 3.0 or 3.1 document'
  if (!isObject(value)) throw new TypeError(`addOpenApi(): ${expected}, got ${typeof value} in ${where}`)
  if (value.swagger !== undefined) {
    throw new TypeError(
      `addOpenApi(): ${expected}, got Swagger ${String(value.swagger)}; convert it first, as swagger2openapi does`,
    )
  }
  if (typeof value.openapi !== 'string' || !/^3\.\d/.test(value.openapi)) {
    throw new TypeError(`addOpenApi(): ${expected}, got \`openapi: ${String(value.openapi)}\` in ${where}`)
  }
  if (!isObject(value.paths)) throw new TypeError(`addOpenApi(): ${expected}, got one without \`paths\``)
  return value
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
