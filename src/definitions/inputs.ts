/** The schemas of arguments: those of a tool, the strings of prompts and templates, and none at all. */

import { copyAsJson } from '../schema/compiled.js'
import { type CompiledSchema, compileInput, exceededLimits, type UnknownArguments } from '../schema/index.js'
import type { Schema, StandardSchemaV1 } from '../schema/types.js'
import type { OptionsRecord } from './define.js'
import type { Entry, EntryDefaults } from './entries.js'

/** The schema of a definition without `input`. It names no argument. */
function withoutInput(validate: StandardSchemaV1['~standard']['validate']): StandardSchemaV1 {
  const empty = (): object => ({ type: 'object', properties: {} })
  const standard = { version: 1, vendor: 'mcp-router', validate, jsonSchema: { input: empty, output: empty } }
  return { '~standard': standard } as StandardSchemaV1 // and Standard JSON Schema beside it
}

/** Hands the handler `{}`, whatever came. */
const noInput = withoutInput(() => ({ value: {} }))

/** Hands on a copy of what `unknownArguments` let through. */
const anyInput = withoutInput(copyAsJson)

export function toolInput(owner: string, options: OptionsRecord, defaults: EntryDefaults): CompiledSchema {
  const input = compileInput((options.input as Schema | undefined) ?? anyInput, {
    owner,
    support: defaults.support,
    warn: defaults.warn,
    unknownArguments: options.unknownArguments as UnknownArguments | undefined,
    defaultUnknownArguments: defaults.unknownArguments,
    coerceStrings: false,
  })
  for (const limit of exceededLimits(input.json)) defaults.warn(`${owner}: ${limit}`)
  return input
}

/** Prompt arguments and template variables travel as strings, and their schema decides what is unknown. */
export function stringInput(owner: string, options: OptionsRecord, defaults: EntryDefaults): CompiledSchema {
  const { support, warn } = defaults
  return compileInput((options.input as Schema | undefined) ?? noInput, {
    owner,
    support,
    warn,
    unknownArguments: 'pass',
    defaultUnknownArguments: 'pass',
    coerceStrings: true,
  })
}

/** What keeps a definition from being served on this platform. */
export function obstacles(entry: Entry): Error[] {
  const schemas = [
    entry.kind === 'resource' ? undefined : entry.input,
    entry.kind === 'tool' ? entry.output : undefined,
  ]
  return schemas.flatMap((schema) => {
    try {
      schema?.prepare()
      return []
    } catch (error) {
      return [error as Error]
    }
  })
}
