/**
 * Checks values against JSON Schema in a bounded number of steps and without generated code: for schemas whose check
 * could take exponential time otherwise, for runtimes without Ajv, and to say what is wrong with a value.
 */

import { issueOf } from '../ajv-issues.js'
import type { Checked, JsonObject } from '../compiled.js'
import { Compiler, type CompilerOptions } from './compile.js'
import { Run, TooManySteps } from './run.js'

/** About 40 ms of work. A step applies one schema to one value. */
export const mostSteps = 500_000

/** Compiles a schema. Throws for one that cannot be evaluated. `steps`: how many a value may take. */
export function evaluatorOf(
  root: JsonObject,
  options: CompilerOptions,
  steps: number = mostSteps,
): (value: unknown) => Checked {
  const compiler = new Compiler(root, options)
  const node = compiler.node(root)
  compiler.assertEnds()
  return (given) => {
    const holder = { value: given }
    const run = new Run(steps, compiler.tracks)
    try {
      if (run.evaluate(node, given, undefined)) return holder
      run.collects = true
      run.evaluate(node, given, undefined)
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error
      if (run.failures.length === 0) return { issues: [{ path: [], message: tooManySteps }] }
    }
    return { issues: run.failures.map((failure) => issueOf(failure, failure.path)) }
  }
}

/** The only issue of a value that takes too many steps. */
export const tooManySteps: string = `takes more than ${mostSteps} steps to check against its schema; send fewer values, nested less deeply`
