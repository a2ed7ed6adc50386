/** Helpers for tests of schemas. They use the entry point, as the router does. */
import {
  type Checked,
  type CompiledSchema,
  compileInput,
  compileOutput,
  describeIssues,
  type InputOptions,
} from '../../src/schema/index.js'
import type { Schema } from '../../src/schema/types.js'

export const warnings: string[] = []

const defaults: InputOptions = {
  owner: 'tool "t"',
  support: [],
  warn: (message, data) => warnings.push(`${message} ${JSON.stringify(data)}`),
  unknownArguments: undefined,
  defaultUnknownArguments: 'reject',
  coerceStrings: false,
}

export function input(schema: Schema, options: Partial<InputOptions> = {}): CompiledSchema {
  return compileInput(schema, { ...defaults, ...options })
}

export function output(schema: Schema, options: Partial<InputOptions> = {}): CompiledSchema {
  return compileOutput(schema, { ...defaults, ...options })
}

/** Returns the parsed value, or the issues as text. */
export function outcome(schema: CompiledSchema, value: unknown): unknown {
  const checked = schema.check(value)
  if (checked instanceof Promise) throw new Error('expected a synchronous schema')
  return read(checked)
}

export function read(checked: Checked): unknown {
  return checked.issues === undefined ? checked.value : describeIssues(checked.issues)
}
