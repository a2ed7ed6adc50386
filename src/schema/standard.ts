/** Tells the kinds of schemas apart, and reads a Standard Schema's verdicts. */

import { whenReady } from '../support/maybe-promise.js'
import { isObject } from '../support/values.js'
import type { Checked, Issue } from './compiled.js'
import type { StandardIssue, StandardResult, StandardSchemaV1 } from './types.js'

/** True for a schema of any library that implements Standard Schema; ArkType's and Effect's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = (value as Partial<StandardSchemaV1>)['~standard']
  return isObject(standard) && typeof standard.validate === 'function' && typeof standard.vendor === 'string'
}

/** The check of a Standard Schema: as synchronous as its library is. */
export function standardCheck(schema: StandardSchemaV1): (value: unknown) => Checked | Promise<Checked> {
  const standard = schema['~standard'] // read once: ArkType builds it anew each time
  return (value) => {
    return whenReady(standard.validate(value), verdict)
  }
}

function verdict(result: StandardResult<unknown>): Checked {
  return result.issues === undefined ? result : { issues: result.issues.flatMap((issue) => plain(issue)) }
}

function plain(issue: StandardIssue): Issue[] {
  const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step))
  const branches = unionBranches(issue)
  return branches.length === 0 ? [{ path, message: messageOf(issue) }] : closest(branches, path)
}

/** A message may be computed when it is read, and fail then: ArkType's do where a key is called `constructor`. */
function messageOf(issue: StandardIssue): string {
  try {
    return issue.message
  } catch {
    return 'is not what the schema expects'
  }
}

/**
 * Zod says "Invalid input" of a union and keeps what each branch wanted beside it: `errors` with paths from the union
 * on in Zod 4, `unionErrors` with whole paths in Zod 3.
 */
function unionBranches(issue: StandardIssue): Issue[][] {
  const { errors, unionErrors } = issue as { errors?: unknown; unionErrors?: unknown }
  const depth = issue.path?.length ?? 0
  if (isBranches(errors)) return errors.map((branch) => branch.flatMap(plain))
  if (!Array.isArray(unionErrors)) return []
  const whole = unionErrors.map((error: { issues: StandardIssue[] }) => error.issues.flatMap(plain))
  return whole.map((branch) => branch.map(({ path, message }) => ({ path: path.slice(depth), message })))
}

/** ArkType's issues have `errors` as well, which are no branches. */
function isBranches(errors: unknown): errors is StandardIssue[][] {
  return Array.isArray(errors) && errors.every(Array.isArray)
}

/** The branch that the value came nearest to; where it came near none, what all of them wanted. */
function closest(branches: readonly Issue[][], path: readonly PropertyKey[]): Issue[] {
  const inside = branches.filter((branch) => branch.every((issue) => issue.path.length > 0))
  if (inside.length === 0) {
    const wanted = new Set(branches.flat().map((issue) => issue.message))
    return [{ path, message: [...wanted].join(', or ') }]
  }
  const best = inside.reduce((least, branch) => (branch.length < least.length ? branch : least))
  return best.map((issue) => ({ path: [...path, ...issue.path], message: issue.message }))
}
