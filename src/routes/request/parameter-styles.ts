/** Writes argument values into query strings, paths and headers, the way the server on the other side reads them. */

import { InvalidParamsError } from '../../errors/errors.js'
import { isObject } from '../../support/values.js'

/** Express's setting "query parser": `simple` is Node's own (and Fastify's and Koa's), `extended` is qs. */
export type QueryParser = 'simple' | 'extended'

/** Of a parser of the app's own: asked for what the two read differently. */
export function queryParserOf(parse: (query: string) => unknown): QueryParser {
  try {
    const { a } = parse('a[b]=c') as { a?: unknown }
    return isObject(a) && a.b === 'c' ? 'extended' : 'simple'
  } catch {
    return 'simple'
  }
}

/** How OpenAPI says that a parameter is written; `json` for one with `content`. */
export interface ParameterStyle {
  readonly style:
    | 'form'
    | 'simple'
    | 'label'
    | 'matrix'
    | 'spaceDelimited'
    | 'pipeDelimited'
    | 'deepObject'
    | 'json'
  readonly explode: boolean
}

export interface ParameterStyles {
  readonly path?: ReadonlyMap<string, ParameterStyle> | undefined
  readonly query?: ReadonlyMap<string, ParameterStyle> | undefined
  readonly headers?: ReadonlyMap<string, ParameterStyle> | undefined
}

type Pair = readonly [key: string, value: string]

/** The query without its `?`. Nulls are left out, and so are lists without items: no parser reads them back. */
export function writeQuery(
  values: ReadonlyMap<string, unknown>,
  parser: QueryParser,
  styles: ReadonlyMap<string, ParameterStyle> | undefined,
): string {
  const parts: string[] = []
  for (const [key, value] of values) {
    if (isNothing(value)) continue
    const style = styles?.get(key)
    if (style !== undefined) parts.push(...styled(key, value, style))
    else if (parser === 'extended') parts.push(...bracketed(key, value).map(joined))
    else parts.push(...repeated(key, value).map(joined))
  }
  return parts.join('&')
}

/** A value in a path or a header: `a,b` for lists, `k,v` or `k=v` for objects. */
export function writeSimple(value: unknown, style: ParameterStyle | undefined): string {
  if (style?.style === 'json') return JSON.stringify(value)
  if (Array.isArray(value)) return value.filter(isSomething).map(writeScalar).join(',')
  if (!isObject(value) || value instanceof Date) return writeScalar(value)
  const entries = Object.entries(value).filter(([, inner]) => isSomething(inner))
  const between = style?.explode === true ? '=' : ','
  return entries.map(([key, inner]) => `${key}${between}${writeScalar(inner)}`).join(',')
}

/** One canonical text per value: `true`, `1.5`, an ISO date, JSON for what has parts. */
export function writeScalar(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Node's parser knows nothing but repeated keys. */
function repeated(key: string, value: unknown): Pair[] {
  if (!Array.isArray(value)) return [[key, writeScalar(value)]]
  return value.filter(isSomething).map((item) => [key, writeScalar(item)])
}

/**
 * The brackets of qs. A list of one needs them (`a[]=1`), or it is read as its item; lists of objects need numbers; other
 * lists are repeated keys, which every parser reads.
 */
function bracketed(key: string, value: unknown): Pair[] {
  if (Array.isArray(value)) {
    const items = value.filter(isSomething)
    if (items.some((item) => typeof item === 'object' && !(item instanceof Date))) {
      return items.flatMap((item, index) => bracketed(`${key}[${index}]`, item))
    }
    const itemKey = items.length === 1 && !key.endsWith('[]') ? `${key}[]` : key
    return items.map((item) => [itemKey, writeScalar(item)])
  }
  if (!isObject(value) || value instanceof Date) return [[key, writeScalar(value)]]
  return Object.entries(value)
    .filter(([, inner]) => isSomething(inner))
    .flatMap(([name, inner]) => bracketed(`${key}[${name}]`, inner))
}

/** OpenAPI 3, Parameter Object: the delimiters are not encoded, what stands between them is. */
function styled(key: string, value: unknown, { style, explode }: ParameterStyle): string[] {
  if (style === 'json') return [joined([key, JSON.stringify(value)])]
  if (Array.isArray(value)) {
    const items = value.filter(isSomething).map(writeScalar)
    if (items.length === 0) return []
    if (explode || style === 'deepObject') return items.map((item) => joined([key, item]))
    return [`${encode(key)}=${items.map(encode).join(delimiters[style] ?? ',')}`]
  }
  if (!isObject(value) || value instanceof Date) return [joined([key, writeScalar(value)])]
  if (style === 'deepObject') return bracketed(key, value).map(joined)
  const entries = Object.entries(value).filter(([, inner]) => isSomething(inner))
  if (explode) return entries.map(([name, inner]) => joined([name, writeScalar(inner)]))
  const flat = entries.flatMap(([name, inner]) => [encode(name), encode(writeScalar(inner))])
  return flat.length === 0 ? [] : [`${encode(key)}=${flat.join(delimiters[style] ?? ',')}`]
}

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

function joined([key, value]: Pair): string {
  return `${encode(key)}=${encode(value)}`
}

export function encode(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch (error) {
    throw new InvalidParamsError('expected well-formed text, got half of a surrogate pair', { cause: error })
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null
}

export function isSomething(value: unknown): boolean {
  return !isNothing(value)
}

/** A value that is written with delimiters, which stay as they are while the texts between them are encoded. */
export class StyledPath {
  readonly encoded: string
  /** Each stands for itself: none may be empty, or step up. */
  readonly texts: readonly string[]

  constructor(encoded: string, texts: readonly string[]) {
    this.encoded = encoded
    this.texts = texts
  }

  /** As a server that decodes the whole value reads it. */
  toString(): string {
    return decodeURIComponent(this.encoded)
  }
}

export type PathValue = string | StyledPath

interface Delimiters {
  readonly first: string
  /** Between items, and between members of an object. */
  readonly apart: string
}

/** @throws InvalidParamsError for half of a surrogate pair. */
export function writePath(name: string, value: unknown, style: ParameterStyle | undefined): PathValue {
  if (style === undefined || style.style === 'json') return writeSimple(value, style)
  const isWhole = typeof value !== 'object' || value === null || value instanceof Date
  if (isWhole && style.style === 'simple') return writeSimple(value, style)
  const written = isWhole ? [[writeScalar(value)]] : piecesOf(value)
  const { first, apart } = delimitersOf(style)
  // A matrix names the whole, or each item; the members of an exploded object have names of their own.
  const hasMembers = !isWhole && !Array.isArray(value)
  const named = style.style === 'matrix' && !(style.explode && hasMembers) ? `${encode(name)}=` : ''
  const between = style.explode ? '=' : ','
  const texts = written.flat()
  const encoded = written.map((piece) => piece.map(encode).join(between))
  const joined = encoded.join(style.explode ? apart + named : apart)
  return new StyledPath(texts.length === 0 ? '' : first + named + joined, texts)
}

/** Items alone, members with their names. */
function piecesOf(value: object): string[][] {
  if (Array.isArray(value)) return value.filter(isSomething).map((item) => [writeScalar(item)])
  const entries = isObject(value) ? Object.entries(value) : []
  return entries.filter(([, inner]) => isSomething(inner)).map(([key, inner]) => [key, writeScalar(inner)])
}

function delimitersOf({ style, explode }: ParameterStyle): Delimiters {
  if (style === 'label') return { first: '.', apart: explode ? '.' : ',' }
  if (style === 'matrix') return { first: ';', apart: explode ? ';' : ',' }
  return { first: '', apart: ',' }
}
