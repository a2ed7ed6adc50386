/** Checks form data without compiling code from schemas, which the page's security policy forbids. */

import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import {
  type ErrorSchema,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type ValidatorType,
} from '@rjsf/utils'
import { pruned } from './form-schema.js'

export const validator: ValidatorType = {
  validateFormData(formData, schema) {
    const errors = check(schema, pruned(schema, formData)).flatMap(toError)
    return { errors, errorSchema: toErrorSchema(errors) as ErrorSchema }
  },
  isValid: (schema, formData, rootSchema) =>
    check({ ...definitionsOf(rootSchema), ...(schema as object) }, formData).length === 0,
  rawValidation: (schema, formData) => ({ errors: check(schema, formData) as never[] }),
}

function definitionsOf(root: RJSFSchema): object {
  return { $defs: root.$defs, definitions: root.definitions }
}

/** Nothing for a schema that cannot be used: the server checks in any case. */
function check(schema: object, data: unknown): OutputUnit[] {
  try {
    const { $schema: _, ...rest } = schema as { $schema?: unknown }
    return new Validator(withoutUndefined(rest) as Schema, '2020-12', false).validate(withoutUndefined(data))
      .errors
  } catch {
    return []
  }
}

function withoutUndefined(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** They say only that something inside failed, which says itself what. */
const outer = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'if', 'additionalProperties'])

function toError({ keyword, instanceLocation, error }: OutputUnit): RJSFValidationError[] {
  if (outer.has(keyword)) return []
  const path = instanceLocation.split('/').slice(1).map(plainStep)
  const missing = keyword === 'required' ? /"([^"]+)"/.exec(error)?.[1] : undefined
  const property = ['', ...path, ...(missing === undefined ? [] : [missing])].map(quoted).join('.')
  const message = missing === undefined ? plain(error) : 'is required'
  return [{ name: keyword, property, message, stack: `${property} ${message}` }]
}

function plainStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function quoted(step: string): string {
  return /[.[\]]/.test(step) ? `['${step}']` : step
}

/** "Instance type "string" is invalid. Expected "number"." → "Expected "number"" */
function plain(error: string): string {
  return error
    .replace(/^Instance type "\w+" is invalid\. /, '')
    .replace(/^(?:Instance|String|Array|Object) /, '')
    .replace(/\.$/, '')
}
