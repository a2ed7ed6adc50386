/** Limits of well-known clients, which reject some valid schemas. */

import { isThenable } from '../../support/maybe-promise.js'
import { isObject } from '../../support/values.js'
import type { CompileOptions, JsonObject } from '../compiled.js'
import { subschemas } from '../keywords.js'
import type { StandardSchemaV1 } from '../types.js'

/** Returns a sentence for each limit that the arguments of a tool exceed. The sentence names the clients. */
export function exceededLimits(json: JsonObject): string[] {
  return [...rootUnion(json), ...oddKeys(json), ...lookArounds(json)]
}

const unions = ['anyOf', 'oneOf', 'allOf']

/**
 * Checks for unions at the root. The APIs of Claude and OpenAI reject the whole request; Claude Code drops the tool.
 */
function rootUnion(json: JsonObject): string[] {
  return unions
    .filter((keyword) => json[keyword] !== undefined)
    .map(
      (keyword) =>
        `Claude and OpenAI refuse tools whose input has \`${keyword}\` at its root: make it one object, with the union in a property`,
    )
}

const key = /^[\w.-]{1,64}$/

function oddKeys({ properties }: JsonObject): string[] {
  const odd = isObject(properties) ? Object.keys(properties).filter((name) => !key.test(name)) : []
  if (odd.length === 0) return []
  const names = odd.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 80)))
  return [
    `Claude refuses argument names that aren't 1 to 64 letters, digits, "_", "." and "-": ${names.join(', ')}${odd.length > 5 ? ', …' : ''}`,
  ]
}

function lookArounds(json: JsonObject): string[] {
  const found = findLookAround(json)
  return found === undefined
    ? []
    : [
        `OpenAI (so Codex) and llama.cpp (so Ollama and LM Studio) refuse tools with look-around in a \`pattern\`: ${JSON.stringify(found.slice(0, 80))}`,
      ]
}

function findLookAround(schema: JsonObject): string | undefined {
  const { pattern, patternProperties } = schema
  const patterns = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])]
  const own = patterns.find((one): one is string => typeof one === 'string' && looksAround(one))
  if (own !== undefined) return own
  for (const { schema: inner } of subschemas(schema)) {
    const found = isObject(inner) ? findLookAround(inner) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Escapes and character classes, which don't contain groups. */
const noGroups = /\\.|\[(?:\\.|[^\]\\])*\]/gs

function looksAround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern.replace(noGroups, ''))
}

/** One date in the formats that schemas ask for. */
const texts = ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z', '2020-01-01T00:00:00', '2020-01-01T00:00Z']

/** Warns about top-level arguments that accept only a Date, so that every call would be rejected. */
export function warnOfDates(
  schema: StandardSchemaV1,
  json: JsonObject,
  { owner, warn }: CompileOptions,
): void {
  const properties = Object.entries(isObject(json.properties) ? json.properties : {})
  for (const [name, property] of properties) {
    if (!isObject(property) || property.format !== 'date-time') continue
    if (texts.some((text) => !refuses(schema, name, text))) continue
    warn(
      `${owner}: "${name}" accepts only a Date, which clients can't send: use a schema that converts text, such as z.coerce.date()`,
    )
  }
}

function refuses(schema: StandardSchemaV1, name: string, value: string): boolean {
  try {
    const outcome = schema['~standard'].validate({ [name]: value })
    if (isThenable(outcome)) {
      outcome.then(undefined, () => {})
      return false
    }
    return outcome.issues?.some(({ path }) => path?.length === 1 && keyOf(path[0]) === name) === true
  } catch {
    return false // the schema's code doesn't expect sample values
  }
}

function keyOf(step: unknown): unknown {
  return isObject(step) ? step.key : step
}
