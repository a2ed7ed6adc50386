/**
 * Compiles the input schemas of definitions: of tools, of prompts and templates, and of definitions without `input`.
 */

import { copyAsJson } from '../schema/compiled.js'
import { type CompiledSchema, compileInput, exceededLimits, type UnknownArguments } from '../schema/index.js'
import type { Schema, StandardSchemaV1 } from '../schema/types.js'
import type { OptionsRecord } from './define.js'
import type { Entry, EntryDefaults } from './entries.js'

/** Creates the schema of a definition without `input`. It declares no arguments. */
function withoutInput(validate: StandardSchemaV1['~standard']['validate']): StandardSchemaV1 {
  const empty = (): object => ({ type: 'object', properties: {} })
  const standard = { version: 1, vendor: 'mcp-router', validate, jsonSchema: { input: empty, output: empty } }
  return { '~standard': standard } as StandardSchemaV1 // also a Standard JSON Schema
}

/** Gives the handler `{}`, whatever the arguments are. */
const noInput = withoutInput(() => ({ value: {} }))

/** Gives the handler a copy of the arguments that `unknownArguments` lets through. */
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

/**
 * Compiles the input of a prompt or template. Arguments are sent as strings, and the schema decides which are unknown.
 */
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

/** Returns the errors that keep a definition from working on this platform. */
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
