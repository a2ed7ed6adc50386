/** Path values with the delimiters of a style of OpenAPI: `a,b`, `.a.b`, `;p=a;p=b` (RFC 6570, sections 3.2.2 to 3.2.7). */

import { isObject } from '../../support/values.js'
import { encode, isSomething, type ParameterStyle, writeScalar, writeSimple } from './parameter-styles.js'

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
