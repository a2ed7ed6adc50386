/** Runs the validator that an app passes in `schemas`, and rejects results in an unknown format. */

import { isThenable } from '../../support/maybe-promise.js'
import { describe, isObject } from '../../support/values.js'
import { type AjvError, issuesOf } from '../ajv-issues.js'
import type { Checked, Issue, JsonObject, SchemaSupport } from '../compiled.js'

/** The members of an Ajv instance that are used. */
export interface AjvInstance {
  compile(schema: object): (value: unknown) => unknown
  removeSchema(schema: object): unknown
}

export function isAjv(value: unknown): value is AjvInstance {
  const { compile, removeSchema } = isObject(value) ? value : {}
  return typeof compile === 'function' && typeof removeSchema === 'function'
}

/**
 * Wraps an Ajv instance, which compiles schemas with its own options. Schemas are removed after compiling, because two
 * tools may use the same `$id`. If compiling fails, the instance may contain an app's schema with that `$id`, so it
 * isn't removed.
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

/**
 * Compiles a schema with the app's validator. The validation throws a TypeError if the result isn't `{ value }`, `{
 * issues }` or Ajv's.
 * @throws TypeError if `compile` doesn't return a function.
 */
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

/** Prevents unhandled rejections of async functions, which are rejected with an error anyway. */
function ignoreRejection(result: unknown): void {
  if (isThenable(result)) result.then(undefined, () => {})
}

/**
 * Reads the result of Ajv functions, including precompiled ones. They set their property `errors` to null or a list.
 */
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
