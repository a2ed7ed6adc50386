/** Runs the validator that an app passes in `schemas`, and trusts no result that it does not understand. */

import { isThenable } from '../../support/maybe-promise.js'
import { describe, isObject } from '../../support/values.js'
import { type AjvError, issuesOf } from '../ajv-issues.js'
import type { Checked, Issue, JsonObject, SchemaSupport } from '../compiled.js'

/** An instance of Ajv, as far as it is used. */
export interface AjvInstance {
  compile(schema: object): (value: unknown) => unknown
  removeSchema(schema: object): unknown
}

export function isAjv(value: unknown): value is AjvInstance {
  const { compile, removeSchema } = isObject(value) ? value : {}
  return typeof compile === 'function' && typeof removeSchema === 'function'
}

/**
 * An Ajv instance compiles schemas as it is configured; it keeps none, since two tools may use one `$id`. After a failure
 * it may hold a schema of the app's own by that `$id`, which stays.
 */
export function asSupport(given: SchemaSupport | AjvInstance): SchemaSupport {
  if (!isAjv(given)) return given
  return {
    compile(schema) {
      const validate = given.compile(schema)
      given.removeSchema(schema)
      return validate
    },
  }
}

type Validate = ((value: unknown) => unknown) & { readonly errors?: unknown }

/** Compiles a schema with the app's validator. A result other than `{ value }`, `{ issues }` or Ajv's throws in each call. */
export function ownValidator(
  support: SchemaSupport,
  json: JsonObject,
  coerce: boolean,
  owner: string,
): (value: unknown) => Checked {
  const validate: unknown = support.compile?.(json, { coerce })
  if (typeof validate !== 'function') {
    ignoreRejection(validate)
    throw new TypeError(`expected \`compile\` in \`schemas\` to return a function, got ${describe(validate)}`)
  }
  return (value) => {
    const result: unknown = (validate as Validate)(value)
    const checked =
      typeof result === 'boolean' ? ajvResult(validate as Validate, result, value) : read(result)
    if (checked !== undefined) return checked
    ignoreRejection(result)
    throw new TypeError(
      `${owner}: expected the validator of \`schemas\` to return { value } or { issues }, got ${describe(result)}`,
    )
  }
}

/** Keeps the promise of an async function, which is refused as it is, from ending the process. */
function ignoreRejection(result: unknown): void {
  if (isThenable(result)) result.then(undefined, () => {})
}

/** Ajv's functions, also those it wrote into a file, leave their errors on themselves: null or a list. */
function ajvResult(validate: Validate, passed: boolean, value: unknown): Checked | undefined {
  const { errors } = validate
  if (passed) return errors === null ? { value } : undefined
  return Array.isArray(errors) ? { issues: issuesOf(errors as AjvError[], value) } : undefined
}

function read(result: unknown): Checked | undefined {
  if (!isObject(result)) return undefined
  if (Array.isArray(result.issues)) return { issues: result.issues.map(issueOf) }
  return 'value' in result && result.issues === undefined ? { value: result.value } : undefined
}

function issueOf(given: unknown): Issue {
  const { path, message } = isObject(given) ? given : {}
  return {
    path: Array.isArray(path) ? path.map((step) => (isObject(step) ? (step.key as PropertyKey) : step)) : [],
    message: typeof message === 'string' ? message : 'is not valid',
  }
}
