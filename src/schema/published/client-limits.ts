/** Valid schemas that well-known clients can't use, although every JSON Schema validator can. */

import { isObject } from '../../support/values.js'
import type { JsonObject } from '../compiled.js'
import { subschemas } from '../keywords.js'

/** A sentence for each limit that the arguments of a tool exceed; it names the clients. */
export function exceededLimits(json: JsonObject): string[] {
  return [...rootUnion(json), ...oddKeys(json), ...lookArounds(json)]
}

const unions = ['anyOf', 'oneOf', 'allOf']

/** The APIs of both refuse the whole request; Claude Code drops the tool. */
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

/** Escapes and character classes hold no groups. */
const noGroups = /\\.|\[(?:\\.|[^\]\\])*\]/gs

function looksAround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern.replace(noGroups, ''))
}
