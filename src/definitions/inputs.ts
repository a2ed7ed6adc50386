/** The schemas of arguments: those of a tool, the strings of prompts and templates, and none at all. */

import { type CompiledSchema, compileInput, type UnknownArguments } from '../schema/index.js'
import type { Schema, StandardSchemaV1 } from '../schema/types.js'
import type { OptionsRecord } from './define.js'
import type { Entry, EntryDefaults } from './entries.js'

/** Accepts nothing and hands the handler `{}`: the schema of a definition without `input`. */
const noInput: StandardSchemaV1 & { '~standard': { jsonSchema: object } } = {
  '~standard': {
    version: 1,
    vendor: 'mcp-router',
    validate: () => ({ value: {} }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: {} }),
      output: () => ({ type: 'object', properties: {} }),
    },
  },
}

export function toolInput(owner: string, options: OptionsRecord, defaults: EntryDefaults): CompiledSchema {
  return compileInput((options.input as Schema | undefined) ?? noInput, {
    owner,
    support: defaults.support,
    warn: defaults.warn,
    unknownArguments: options.unknownArguments as UnknownArguments | undefined,
    defaultUnknownArguments: defaults.unknownArguments,
    coerceStrings: false,
  })
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
