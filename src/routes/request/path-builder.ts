/**
 * Builds the URL path of a route from values that nobody vouches for. What comes out reaches this route, with these
 * values, or does not come out at all.
 */

import { InvalidParamsError } from '../../errors/errors.js'
import { describe } from '../../support/values.js'
import {
  escapeRegExp,
  type Parameter,
  parametersOf,
  type Segment,
  segmentText,
  type Template,
  UnreadablePath,
} from '../discovery/path-template.js'
import { StyledPath } from './parameter-styles.js'
import {
  type ConflictingRoute,
  conflictsOf,
  encodeLiteral,
  type Headers,
  type ShadowedBy,
} from './shadowed-by.js'

/** In characters. Node takes no request of more, and hostile values must not keep the matchers busy. */
const longestPath = 16_384

/** Path values by name; what is not an own property is missing. */
export type PathValues = Readonly<Record<string, unknown>>

/**
 * Prepared once per route. The function that comes back throws `InvalidParamsError` naming the parameter for values
 * that are missing, empty, `.` or `..`, hold control characters or half a surrogate pair, break the parameter's own
 * pattern, or would not come back out of the finished path as they went in; and where another route would take it.
 * `at`: where the route stands, in an app that asks its routes in order: then what stands in front is a rival too.
 * Default: no order, and patterns come first. `others`: who else knows of routes that may take a path.
 * @throws UnreadablePath for a template with a wildcard.
 */
export function pathBuilder(
  template: Template,
  rivals: readonly ConflictingRoute[] = [],
  at?: number,
  others: readonly ShadowedBy[] = [],
): (values: PathValues, headers?: Headers) => string {
  if (parametersOf(template).some(({ wildcard }) => wildcard)) {
    throw new UnreadablePath(`${template.text} has a wildcard: no path can be built`)
  }
  const builders = template.segments.map(segmentBuilder)
  const read = { template, parameters: parametersOf(template), pattern: patternOf(template) }
  const takers = [conflictsOf(template, rivals, at), ...others]
  return (values, headers = {}) => {
    let written = ''
    for (const build of builders) {
      const text = build(values)
      if (text !== undefined) written += `/${text}`
    }
    if (written.length > longestPath) throw tooLong('the path', written)
    assertSameValues(read, values, written)
    const path = written || '/'
    for (const take of takers) {
      const label = take(path, headers)
      if (label !== undefined) throw refused(`${path} is the address of another route, ${label}`)
    }
    return path
  }
}

/** What comes back writes one segment; `undefined` where an optional one has no value. */
function segmentBuilder(segment: Segment): (values: PathValues) => string | undefined {
  const [first] = segment
  const optional = first?.kind === 'parameter' && first.optional ? first : undefined
  const several = segment.filter((part) => part.kind === 'parameter').length > 1
  const parts = segment.map((part) => (part.kind === 'literal' ? encodeLiteral(part) : part))
  return (values) => {
    if (optional !== undefined && givenFor(optional, values) === undefined) return undefined
    if (several) assertApart(segment, values)
    let text = ''
    for (const part of parts) text += typeof part === 'string' ? part : encode(part, values)
    if (text === '.' || text === '..') throw refused(`the path would hold "${text}"`)
    return text
  }
}

function encode(parameter: Parameter, values: PathValues): string {
  const text = textOf(parameter, values)
  const { name, pattern, encoded: testsEncoded, maxLength } = parameter
  if (text.length > longestPath) throw tooLong(name, text)
  const value = givenFor(parameter, values)
  let encoded: string
  try {
    encoded = value instanceof StyledPath ? value.encoded : encodeURIComponent(text)
  } catch {
    throw refused(`${name} holds half a surrogate pair`)
  }
  if (maxLength !== undefined && text.length > maxLength) {
    throw refused(`expected ${name} to have at most ${maxLength} characters; got ${text.length}`)
  }
  if (pattern !== undefined) {
    const own = new RegExp(`^(?:${pattern})$`, testsEncoded === true ? 'i' : '')
    if (!own.test(text) || (testsEncoded === true && !own.test(encoded))) {
      throw refused(`expected ${name} to match ${pattern}; got ${describe(text)}`)
    }
  }
  return encoded
}

function textOf(parameter: Parameter, values: PathValues): string {
  const { name } = parameter
  const value = givenFor(parameter, values)
  if (value === undefined) throw refused(`${name} is missing`)
  if (value instanceof StyledPath) {
    if (value.texts.length === 0) throw refused(`expected ${name} not to be empty`)
    for (const text of value.texts) assertText(name, text)
    return String(value)
  }
  if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value)) {
    throw refused(`expected ${name} to be a string; got ${describe(value)}`)
  }
  const text = String(value)
  assertText(name, text)
  return text
}

function assertText(name: string, text: string): void {
  if (text === '') throw refused(`expected ${name} not to be empty`)
  if (text === '.' || text === '..') throw refused(`expected ${name} to name something; got "${text}"`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text))
    throw refused(`${name} holds a control character`)
}

function givenFor({ name }: Parameter, values: PathValues): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === null ? undefined : value
}

/**
 * Several parameters share a segment: routers differ in where a value with their separator ends (`x-y` and `z`, or `x`
 * and `y-z`), so none may hold it.
 */
function assertApart(segment: Segment, values: PathValues): void {
  const parameters = segment.filter((part) => part.kind === 'parameter')
  const separators = segment.filter((part) => part.kind === 'literal')
  for (const parameter of parameters) {
    const value = String(givenFor(parameter, values)).toLowerCase()
    const held = separators.find(({ text }) => value.includes(text.toLowerCase()))
    if (held === undefined) continue
    throw refused(`${parameter.name} holds "${held.text}", which ends it in the path ${segmentText(segment)}`)
  }
}

interface Reading {
  readonly template: Template
  readonly parameters: readonly Parameter[]
  /** One group per parameter. */
  readonly pattern: RegExp
}

/** Read back from the finished path, every value is what was meant. */
function assertSameValues(
  { template, parameters, pattern }: Reading,
  values: PathValues,
  path: string,
): void {
  const found = pattern.exec(path)
  if (found === null) throw refused(`${path} is no path of ${template.text}`)
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index] as Parameter
    const read = found[index + 1]
    const meant = givenFor(parameter, values)
    const same =
      meant instanceof StyledPath
        ? read === meant.encoded
        : read === undefined
          ? meant === undefined
          : decodeURIComponent(read) === String(meant)
    if (!same) throw refused(`${parameter.name} would not arrive as it is in ${template.text}`)
  }
}

/** One group per parameter. Of a path as it was written: where every segment is optional, that may be nothing. */
function patternOf({ segments }: Template): RegExp {
  const source = segments.map((segment) => {
    const [first] = segment
    const whole = segment
      .map((part) => (part.kind === 'literal' ? escapeRegExp(encodeLiteral(part)) : '([^/]+)'))
      .join('')
    return first?.kind === 'parameter' && first.optional ? `(?:/${whole})?` : `/${whole}`
  })
  return new RegExp(`^${source.join('')}$`)
}

function tooLong(what: string, text: string): InvalidParamsError {
  return refused(`expected ${what} to have at most ${longestPath} characters; got ${text.length}`)
}

function refused(problem: string): InvalidParamsError {
  return new InvalidParamsError(`Invalid path: ${problem}`)
}
