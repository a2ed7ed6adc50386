/** Serializes argument values for query strings, paths and headers, in the format that the server parses. */

import { InvalidParamsError } from '../../errors/errors.js'
import { isObject } from '../../support/values.js'

/** Express's setting "query parser": `simple` is Node's `querystring` (also in Fastify and Koa), `extended` is qs. */
export type QueryParser = 'simple' | 'extended'

/** Determines the kind of a custom query parser by parsing a query that both kinds read differently. */
export function queryParserOf(parse: (query: string) => unknown): QueryParser {
  try {
    const { a } = parse('a[b]=c') as { a?: unknown }
    return isObject(a) && a.b === 'c' ? 'extended' : 'simple'
  } catch {
    return 'simple'
  }
}

/** How a parameter is serialized, in the terms of OpenAPI; `json` for a parameter with `content`. */
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

/** Serializes a query string without `?`. Nulls and empty lists are left out, because no parser restores them. */
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

/** Serializes a path or header value: `a,b` for lists, `k,v` or `k=v` for objects. */
export function writeSimple(value: unknown, style: ParameterStyle | undefined): string {
  if (style?.style === 'json') return JSON.stringify(value)
  if (Array.isArray(value)) return value.filter(isSomething).map(writeScalar).join(',')
  if (!isObject(value) || value instanceof Date) return writeScalar(value)
  const entries = Object.entries(value).filter(([, inner]) => isSomething(inner))
  const between = style?.explode === true ? '=' : ','
  return entries.map(([key, inner]) => `${key}${between}${writeScalar(inner)}`).join(',')
}

/** Serializes one value: `true`, `1.5`, an ISO date, JSON for objects and lists. */
export function writeScalar(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Serializes for Node's parser, which only supports repeated keys. */
function repeated(key: string, value: unknown): Pair[] {
  if (!Array.isArray(value)) return [[key, writeScalar(value)]]
  return value.filter(isSomething).map((item) => [key, writeScalar(item)])
}

/**
 * Serializes in the bracket syntax of qs. A list with one item needs brackets (`a[]=1`), or it is read as the item.
 * Lists of objects need indexes. Other lists are repeated keys, which every parser reads.
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

/**
 * Serializes as specified in OpenAPI 3, Parameter Object: the delimiters aren't encoded, the values between them are.
 */
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
    throw new InvalidParamsError('expected well-formed text, got a lone surrogate', { cause: error })
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null
}

export function isSomething(value: unknown): boolean {
  return !isNothing(value)
}

/** A path value with delimiters. The delimiters stay as they are; the texts between them are encoded. */
export class StyledPath {
  readonly encoded: string
  /** The texts between the delimiters. None may be empty, `.` or `..`. */
  readonly texts: readonly string[]

  constructor(encoded: string, texts: readonly string[]) {
    this.encoded = encoded
    this.texts = texts
  }

  /** Returns the value as a server reads it that decodes the whole value. */
  toString(): string {
    return decodeURIComponent(this.encoded)
  }
}

export type PathValue = string | StyledPath

interface Delimiters {
  readonly first: string
  /** Separates items, and members of an object. */
  readonly apart: string
}

/**
 * Serializes a path parameter.
 * @throws InvalidParamsError for a lone surrogate.
 */
export function writePath(name: string, value: unknown, style: ParameterStyle | undefined): PathValue {
  if (style === undefined || style.style === 'json') return writeSimple(value, style)
  const isWhole = typeof value !== 'object' || value === null || value instanceof Date
  if (isWhole && style.style === 'simple') return writeSimple(value, style)
  const written = isWhole ? [[writeScalar(value)]] : piecesOf(value)
  const { first, apart } = delimitersOf(style)
  // Matrix style repeats the parameter's name for the whole value or for each item; members of an exploded object have
  // their own names.
  const hasMembers = !isWhole && !Array.isArray(value)
  const named = style.style === 'matrix' && !(style.explode && hasMembers) ? `${encode(name)}=` : ''
  const between = style.explode ? '=' : ','
  const texts = written.flat()
  const encoded = written.map((piece) => piece.map(encode).join(between))
  const joined = encoded.join(style.explode ? apart + named : apart)
  return new StyledPath(texts.length === 0 ? '' : first + named + joined, texts)
}

/** Returns items as they are, and members with their names. */
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
