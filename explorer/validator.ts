/** Validates form data without generating code from schemas, which the page's content security policy forbids. */

import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import {
  type ErrorSchema,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type ValidatorType,
} from '@rjsf/utils'
import { prune } from './form-schema.js'

export const validator: ValidatorType = {
  validateFormData(formData, schema) {
    const errors = check(schema, prune(schema, formData)).flatMap(toError)
    return { errors, errorSchema: toErrorSchema(errors) as ErrorSchema }
  },
  isValid: (schema, formData, rootSchema) =>
    check({ ...definitionsOf(rootSchema), ...(schema as object) }, formData).length === 0,
  rawValidation: (schema, formData) => ({ errors: check(schema, formData) as never[] }),
}

function definitionsOf(root: RJSFSchema): object {
  return { $defs: root.$defs, definitions: root.definitions }
}

/** Returns the errors, or none for an unusable schema, since the server validates anyway. */
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

/** Keywords whose errors only say that a nested check failed. The nested check has its own error. */
const containerKeywords = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
  'if',
  'additionalProperties',
])

function toError({ keyword, instanceLocation, error }: OutputUnit): RJSFValidationError[] {
  if (containerKeywords.has(keyword)) return []
  const path = instanceLocation.split('/').slice(1).map(decodeStep)
  const missing = keyword === 'required' ? /"([^"]+)"/.exec(error)?.[1] : undefined
  const property = ['', ...path, ...(missing === undefined ? [] : [missing])].map(quoteStep).join('.')
  const message = missing === undefined ? shorten(error) : 'is required'
  return [{ name: keyword, property, message, stack: `${property} ${message}` }]
}

function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function quoteStep(step: string): string {
  return /[.[\]]/.test(step) ? `['${step}']` : step
}

/** Shortens a message: "Instance type "string" is invalid. Expected "number"." → "Expected "number"" */
function shorten(error: string): string {
  return error
    .replace(/^Instance type "\w+" is invalid\. /, '')
    .replace(/^(?:Instance|String|Array|Object) /, '')
    .replace(/\.$/, '')
}
