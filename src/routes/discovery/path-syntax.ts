/**
 * Parsers for the path syntaxes of the frameworks. Each returns the segments of a template. Optional groups that aren't
 * a whole segment count as present, because the longest form of a path also belongs to the route.
 */

import { type Literal, type Parameter, type Segment, UnreadablePath } from './path-template.js'

type Token = Literal | Parameter

/** A position in the source, shared by all parsers. */
interface Cursor {
  readonly source: string
  at: number
}

/** Reads the tokens at the cursor; `undefined` for an ordinary character. */
type Reader = (cursor: Cursor) => readonly Token[] | undefined

/**
 * Parses the syntax of Express 4 (path-to-regexp 0.1): `:id`, `:id(\\d+)`, `:id?`, `*`.
 * @throws UnreadablePath
 */
export function parseExpress4(source: string): readonly Segment[] {
  return parse(source, (cursor) => {
    const next = source[cursor.at]
    if (next === ':') return [colonParameter(cursor, { encoded: true })]
    if (next === '*') return [wildcard(cursor)]
    if (next !== undefined && '()?+'.includes(next)) {
      throw unreadable(source, `"${next}" makes it a pattern`)
    }
    return undefined
  })
}

/**
 * Parses the syntax of Express 5 and @koa/router 14 and later (path-to-regexp 8): `:id`, `:"a b"`, `*splat`, `{/:id}`,
 * `\\:`.
 */
export function parsePathToRegexp8(source: string): readonly Segment[] {
  return parse(source, (cursor) => {
    const next = source[cursor.at]
    if (next === '\\') return [escaped(cursor)]
    if (next === '{') return group(cursor, parsePathToRegexp8)
    if (next === ':') return [plain(quotedName(cursor))]
    if (next === '*') return [{ ...plain(quotedName(cursor)), wildcard: true }]
    return undefined
  })
}

/**
 * Parses the syntax of @koa/router 12 and 13 (path-to-regexp 6): `:id(\\d+)?`, `:rest*`, `(.*)`, `{/:id}?`.
 * @throws UnreadablePath
 */
export function parsePathToRegexp6(source: string): readonly Segment[] {
  let unnamed = 0
  return parse(source, (cursor) => {
    const next = source[cursor.at]
    if (next === '\\') return [escaped(cursor)]
    if (next === ':') return [colonParameter(cursor, { encoded: true })]
    if (next === '(') return [modified(cursor, withPattern(plain(String(unnamed++)), pattern(cursor), true))]
    if (next === '{') return group(cursor, parsePathToRegexp6)
    if (next !== undefined && '?*+'.includes(next)) throw unreadable(source, `"${next}" follows nothing`)
    return undefined
  })
}

/**
 * Parses the syntax of Fastify (find-my-way): `:id(^\\d+$)`, `:a-:b`, `:id?`, `*`, `::`.
 * @throws UnreadablePath
 */
export function parseFastify(source: string): readonly Segment[] {
  return parse(source, (cursor) => {
    const next = source[cursor.at]
    if (next === '*') return [wildcard(cursor)]
    if (next !== ':') return undefined
    if (source[cursor.at + 1] !== ':') return [colonParameter(cursor, { encoded: false })]
    cursor.at += 2
    return [{ kind: 'literal', text: ':' }]
  })
}

/**
 * Parses the syntax of OpenAPI: `/tasks/{id}`.
 * @throws UnreadablePath
 */
export function parseOpenApi(source: string): readonly Segment[] {
  return parse(source, (cursor) => {
    if (source[cursor.at] !== '{') return undefined
    const end = source.indexOf('}', cursor.at)
    if (end < 0) throw unreadable(source, 'a brace is not closed')
    const name = source.slice(cursor.at + 1, end)
    cursor.at = end + 1
    return [plain(name)]
  })
}

function parse(source: string, read: Reader): readonly Segment[] {
  const cursor: Cursor = { source, at: 0 }
  const tokens: Token[] = []
  while (cursor.at < source.length) {
    const found = read(cursor)
    if (found !== undefined) tokens.push(...found)
    else tokens.push({ kind: 'literal', text: source[cursor.at++] ?? '' })
  }
  return toSegments(tokens)
}

/**
 * Splits tokens at slashes and joins adjacent literals. Optional and wildcard parameters must be a whole segment;
 * otherwise they become required ones.
 */
export function toSegments(tokens: readonly Token[]): readonly Segment[] {
  const segments: Token[][] = [[]]
  for (const token of tokens) {
    const current = segments.at(-1) as Token[] // never empty
    if (token.kind === 'parameter') {
      current.push(token)
      continue
    }
    const [first = '', ...others] = token.text.split('/')
    addText(current, first)
    for (const text of others) segments.push(addText([], text))
  }
  const [first, ...rest] = segments
  const all = first?.length === 0 ? rest : segments
  return all
    .filter((segment, index) => segment.length > 0 || index === all.length - 1)
    .map((segment) => (segment.length > 1 ? segment.map(required) : segment))
}

function addText(segment: Token[], text: string): Token[] {
  const last = segment.at(-1)
  if (text === '') return segment
  if (last?.kind === 'literal') segment[segment.length - 1] = { kind: 'literal', text: last.text + text }
  else segment.push({ kind: 'literal', text })
  return segment
}

function required(part: Token): Token {
  return part.kind === 'parameter' && part.optional ? { ...part, optional: false } : part
}

function plain(name: string): Parameter {
  return { kind: 'parameter', name, optional: false, wildcard: false }
}

function wildcard(cursor: Cursor): Parameter {
  cursor.at += 1
  return { ...plain('*'), wildcard: true }
}

function escaped(cursor: Cursor): Literal {
  const text = cursor.source[cursor.at + 1] ?? ''
  cursor.at += 2
  return { kind: 'literal', text }
}

/** Reads `:name`, an optional `(pattern)`, and an optional modifier. */
function colonParameter(cursor: Cursor, { encoded }: { encoded: boolean }): Parameter {
  cursor.at += 1
  const name = word(cursor, encoded ? /\w+/y : /[^/()\-.:?*]+/y)
  const parameter = plain(name)
  return modified(
    cursor,
    cursor.source[cursor.at] === '(' ? withPattern(parameter, pattern(cursor), encoded) : parameter,
  )
}

function quotedName(cursor: Cursor): string {
  cursor.at += 1
  if (cursor.source[cursor.at] !== '"')
    return word(cursor, /[$_\p{ID_Start}](?:[$\p{ID_Continue}]|\u200c|\u200d)*/uy)
  const end = cursor.source.indexOf('"', cursor.at + 1)
  if (end < 0) throw unreadable(cursor.source, 'a quote is not closed')
  const name = cursor.source.slice(cursor.at + 1, end)
  cursor.at = end + 1
  return name
}

function word(cursor: Cursor, name: RegExp): string {
  name.lastIndex = cursor.at
  const found = name.exec(cursor.source)?.[0]
  if (found === undefined) throw unreadable(cursor.source, 'a parameter has no name')
  cursor.at += found.length
  return found
}

/** Reads the text between balanced parentheses. */
function pattern(cursor: Cursor): string {
  const { source } = cursor
  const start = cursor.at + 1
  let depth = 0
  let inClass = false
  for (let at = cursor.at; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at += 1
    else if (character === '[') inClass = true
    else if (character === ']') inClass = false
    else if (!inClass && character === '(') depth += 1
    else if (!inClass && character === ')' && --depth === 0) {
      cursor.at = at + 1
      return source.slice(start, at)
    }
  }
  throw unreadable(source, 'a parenthesis is not closed')
}

/**
 * Adds a pattern to a parameter. A pattern that matches any segment is dropped; one that matches slashes makes it a
 * wildcard.
 */
export function withPattern(parameter: Parameter, source: string, encoded: boolean): Parameter {
  const bare = source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')
  // path-to-regexp 0.1 writes `.*` as `*`.
  if (wildcards.has(bare)) return { ...parameter, wildcard: true }
  // The default pattern of path-to-regexp; between literals it adds a lookahead.
  if (/^\[\^\\?\/(?:#\\?\?)?\][+*]\??$/.test(bare) || bare.startsWith('(?:(?!')) return parameter
  assertReadable(bare)
  return { ...parameter, pattern: bare, ...(encoded && { encoded }) }
}

const wildcards: ReadonlySet<string> = new Set(
  ['.', '[^]', '[\\s\\S]', '[\\S\\s]']
    .flatMap((any) => ['*', '+', '*?', '+?'].map((often) => any + often))
    .concat('*', '(.*)'),
)

function assertReadable(pattern: string): void {
  try {
    new RegExp(`^(?:${pattern})$`)
  } catch {
    throw new UnreadablePath(`the pattern (${pattern}) of a parameter is not a regular expression on its own`)
  }
}

function modified(cursor: Cursor, parameter: Parameter): Parameter {
  const next = cursor.source[cursor.at]
  if (next === undefined || !'?*+'.includes(next)) return parameter
  cursor.at += 1
  return { ...parameter, optional: next !== '+', wildcard: parameter.wildcard || next !== '?' }
}

/** Reads a group. `{/:id}` is an optional segment; any other group counts as present. */
function group(cursor: Cursor, parseInner: (source: string) => readonly Segment[]): readonly Token[] {
  const end = closing(cursor)
  const inner = cursor.source.slice(cursor.at + 1, end)
  cursor.at = end + 1
  const modifier = cursor.source[cursor.at]
  if (modifier !== undefined && '?*+'.includes(modifier)) cursor.at += 1
  const segments = parseInner(inner)
  const [segment, ...others] = segments
  const only = segment?.length === 1 && others.length === 0 && inner.startsWith('/') ? segment[0] : undefined
  if (only?.kind === 'parameter') return [slash, { ...only, optional: true }]
  return segments.flatMap((parts, index) => (index > 0 || inner.startsWith('/') ? [slash, ...parts] : parts))
}

function closing({ source, at }: Cursor): number {
  let depth = 0
  for (let end = at; end < source.length; end++) {
    if (source[end] === '\\') end += 1
    else if (source[end] === '{') depth += 1
    else if (source[end] === '}' && --depth === 0) return end
  }
  throw unreadable(source, 'a brace is not closed')
}

const slash: Literal = { kind: 'literal', text: '/' }

function unreadable(source: string, problem: string): UnreadablePath {
  return new UnreadablePath(
    `the path ${source} cannot be read: ${problem}; write it with plain parameters such as /:id`,
  )
}
