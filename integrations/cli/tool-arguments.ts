/** Parses the arguments of a command line: JSON, `key=value`, `@file` and `-`. */

import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { isObject } from '../../src/internal.js'
import { UsageError } from './exit-codes.js'
import type { Terminal } from './terminal/terminal.js'

/**
 * Reads all arguments; later ones override earlier ones. `isText`: whether the value of a key is always a string.
 * @throws UsageError
 */
export async function readArguments(
  words: readonly string[],
  isText: (name: string) => boolean,
  { input }: Pick<Terminal, 'input'>,
): Promise<Record<string, unknown>> {
  const args: Record<string, unknown> = {}
  for (const word of words) {
    const read = word === '-' ? parse(await textOf(input), 'stdin') : await readWord(word, isText)
    for (const [name, value] of Object.entries(read)) set(args, name, value)
  }
  return args
}

/** Returns a function that says whether a tool's input schema accepts a string for an argument. */
export function takesTextFor(schema: unknown): (name: string) => boolean {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return (name) => Object.hasOwn(properties, name) && takesText(properties[name])
}

async function readWord(word: string, isText: (name: string) => boolean): Promise<Record<string, unknown>> {
  if (word.startsWith('{')) return parse(word, 'the arguments')
  if (word.startsWith('@')) return parse(await contentOf(word.slice(1)), word)
  const [, name, json, typed = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? []
  if (name === undefined) {
    throw new UsageError(`Expected arguments as '{"key":"value"}', key=value, @file or -; got ${word}`)
  }
  if (json === ':') return set({}, name, parseValue(typed, name))
  return set({}, name, isText(name) ? typed : asJson(typed))
}

/** Sets an own property, even for names such as `__proto__`. */
function set(target: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  return Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

async function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`@${file}: ${error.message}`)
  })
}

function parse(text: string, place: string): Record<string, unknown> {
  const value = parseValue(text, place)
  if (isObject(value)) return value
  throw new UsageError(`${place}: expected a JSON object such as '{"limit":3}'`)
}

function parseValue(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${place}: expected JSON; ${(error as Error).message}`)
  }
}

/** Parses JSON, or returns the text itself if it isn't JSON. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function takesText(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { type, enum: values, const: fixed, anyOf, oneOf } = schema
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return (
    [type].flat().includes('string') ||
    [fixed, ...(Array.isArray(values) ? values : [])].some((value) => typeof value === 'string') ||
    alternatives.some(takesText)
  )
}
