/** Recognizes Standard Schemas, and converts their results. */

import { whenReady } from '../support/maybe-promise.js'
import { isObject } from '../support/values.js'
import type { Checked, Issue } from './compiled.js'
import type { StandardIssue, StandardResult, StandardSchemaV1 } from './types.js'

/** Whether a value is a Standard Schema. Those of ArkType and Effect are functions. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = (value as Partial<StandardSchemaV1>)['~standard']
  return isObject(standard) && typeof standard.validate === 'function' && typeof standard.vendor === 'string'
}

/** Creates the validation of a Standard Schema. Synchronous if the library is. */
export function standardCheck(schema: StandardSchemaV1): (value: unknown) => Checked | Promise<Checked> {
  const standard = schema['~standard'] // read once, because ArkType rebuilds it on each access
  return (value) => {
    return whenReady(standard.validate(value), toChecked)
  }
}

function toChecked(result: StandardResult<unknown>): Checked {
  return result.issues === undefined ? result : { issues: result.issues.flatMap((issue) => plain(issue)) }
}

function plain(issue: StandardIssue): Issue[] {
  const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step))
  const branches = unionBranches(issue)
  return branches.length === 0 ? [{ path, message: messageOf(issue) }] : closest(branches, path)
}

/**
 * Returns the message of an issue. ArkType computes messages when they are read, and throws for keys such as
 * `constructor`.
 */
function messageOf(issue: StandardIssue): string {
  try {
    return issue.message
  } catch {
    return 'is not what the schema expects'
  }
}

/**
 * Returns the issues of each branch of a union. For a union, Zod reports "Invalid input" and adds the issues of the
 * branches: `errors` with paths relative to the union in Zod 4, `unionErrors` with full paths in Zod 3.
 */
function unionBranches(issue: StandardIssue): Issue[][] {
  const { errors, unionErrors } = issue as { errors?: unknown; unionErrors?: unknown }
  const depth = issue.path?.length ?? 0
  if (isBranches(errors)) return errors.map((branch) => branch.flatMap(plain))
  if (!Array.isArray(unionErrors)) return []
  const whole = unionErrors.map((error: { issues: StandardIssue[] }) => error.issues.flatMap(plain))
  return whole.map((branch) => branch.map(({ path, message }) => ({ path: path.slice(depth), message })))
}

/** Whether `errors` contains branches. ArkType's issues have other `errors`. */
function isBranches(errors: unknown): errors is StandardIssue[][] {
  return Array.isArray(errors) && errors.every(Array.isArray)
}

/** Returns the issues of the branch that matches best; if none matches in part, the expectations of all branches. */
function closest(branches: readonly Issue[][], path: readonly PropertyKey[]): Issue[] {
  const inside = branches.filter((branch) => branch.every((issue) => issue.path.length > 0))
  if (inside.length === 0) {
    const wanted = new Set(branches.flat().map((issue) => issue.message))
    return [{ path, message: [...wanted].join(', or ') }]
  }
  const best = inside.reduce((least, branch) => (branch.length < least.length ? branch : least))
  return best.map((issue) => ({ path: [...path, ...issue.path], message: issue.message }))
}
