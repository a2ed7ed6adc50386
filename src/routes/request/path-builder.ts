/**
 * Builds the URL path of a route from untrusted values. A built path is guaranteed to reach this route with these
 * values; otherwise the builder throws.
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

/** Maximum length in characters. Node rejects longer requests, and long values would slow down the pattern matching. */
const longestPath = 16_384

/** Path values by parameter name. Only own properties count. */
export type PathValues = Readonly<Record<string, unknown>>

/**
 * Creates a function that builds paths; create it once per route. It throws `InvalidParamsError` naming the parameter
 * if a value is missing, empty, `.` or `..`, contains a control character or a lone surrogate, doesn't match the
 * parameter's pattern, or would be read back differently from the path. It also throws if another route would match the
 * path first. `at`: the position of the route in frameworks that match in order, where preceding routes conflict too.
 * Default: no order; patterns match first. `others`: further checks for conflicting routes.
 * @throws UnreadablePath for a template with a wildcard.
 */
export function pathBuilder(
  template: Template,
  conflicts: readonly ConflictingRoute[] = [],
  at?: number,
  others: readonly ShadowedBy[] = [],
): (values: PathValues, headers?: Headers) => string {
  if (parametersOf(template).some(({ wildcard }) => wildcard)) {
    throw new UnreadablePath(`${template.text} has a wildcard: no path can be built`)
  }
  const builders = template.segments.map(segmentBuilder)
  const read = { template, parameters: parametersOf(template), pattern: patternOf(template) }
  const checks = [conflictsOf(template, conflicts, at), ...others]
  return (values, headers = {}) => {
    let written = ''
    for (const build of builders) {
      const text = build(values)
      if (text !== undefined) written += `/${text}`
    }
    if (written.length > longestPath) throw tooLong('the path', written)
    assertSameValues(read, values, written)
    const path = written || '/'
    for (const check of checks) {
      const label = check(path, headers)
      if (label !== undefined) throw refused(`${path} is the address of another route, ${label}`)
    }
    return path
  }
}

/** Returns a function that builds one segment, or `undefined` for an optional segment without a value. */
function segmentBuilder(segment: Segment): (values: PathValues) => string | undefined {
  const [first] = segment
  const optional = first?.kind === 'parameter' && first.optional ? first : undefined
  const several = segment.filter((part) => part.kind === 'parameter').length > 1
  const parts = segment.map((part) => (part.kind === 'literal' ? encodeLiteral(part) : part))
  return (values) => {
    if (optional !== undefined && valueFor(optional, values) === undefined) return undefined
    if (several) assertNoSeparators(segment, values)
    let text = ''
    for (const part of parts) text += typeof part === 'string' ? part : encode(part, values)
    if (text === '.' || text === '..') throw refused(`the path would contain "${text}"`)
    return text
  }
}

function encode(parameter: Parameter, values: PathValues): string {
  const text = textOf(parameter, values)
  const { name, pattern, encoded: testsEncoded, maxLength } = parameter
  if (text.length > longestPath) throw tooLong(name, text)
  const value = valueFor(parameter, values)
  let encoded: string
  try {
    encoded = value instanceof StyledPath ? value.encoded : encodeURIComponent(text)
  } catch {
    throw refused(`${name} contains a lone surrogate`)
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
  const value = valueFor(parameter, values)
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
    throw refused(`${name} contains a control character`)
}

function valueFor({ name }: Parameter, values: PathValues): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === null ? undefined : value
}

/**
 * Checks the values of a segment with several parameters. None may contain the separator, because routers differ in
 * where they split `x-y-z`.
 */
function assertNoSeparators(segment: Segment, values: PathValues): void {
  const parameters = segment.filter((part) => part.kind === 'parameter')
  const separators = segment.filter((part) => part.kind === 'literal')
  for (const parameter of parameters) {
    const value = String(valueFor(parameter, values)).toLowerCase()
    const separator = separators.find(({ text }) => value.includes(text.toLowerCase()))
    if (separator === undefined) continue
    throw refused(
      `${parameter.name} contains "${separator.text}", which separates parameters in ${segmentText(segment)}`,
    )
  }
}

interface PathReader {
  readonly template: Template
  readonly parameters: readonly Parameter[]
  /** Has one group per parameter. */
  readonly pattern: RegExp
}

/** Checks that every value reads back from the built path unchanged. */
function assertSameValues(
  { template, parameters, pattern }: PathReader,
  values: PathValues,
  path: string,
): void {
  const found = pattern.exec(path)
  if (found === null) throw refused(`${path} does not match ${template.text}`)
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index] as Parameter
    const read = found[index + 1]
    const expected = valueFor(parameter, values)
    const same =
      expected instanceof StyledPath
        ? read === expected.encoded
        : read === undefined
          ? expected === undefined
          : decodeURIComponent(read) === String(expected)
    if (!same) throw refused(`${parameter.name} would be read back differently from ${template.text}`)
  }
}

/** Returns a pattern with one group per parameter. It also matches an empty path if every segment is optional. */
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
