/** A reporter that writes the outcome of each test to a file, to read it after a run inside another runtime. */

import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

export interface Outcome {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** The reason why the test was skipped. */
  readonly note: string | undefined
  readonly errors: readonly string[]
}

export class OutcomesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const { OUTCOMES_FILE = '' } = process.env
    const outcomes = modules.flatMap((module) => [
      ...module.errors().map(({ message }) => outcome(module.moduleId, 'failed', [message])),
      ...[...module.children.allTests()].map(outcomeOf),
    ])
    writeFileSync(OUTCOMES_FILE, JSON.stringify(outcomes))
  }
}

function outcomeOf(test: TestCase): Outcome {
  const { state, errors = [] } = test.result()
  const note = 'note' in test.result() ? (test.result() as { note?: string }).note : undefined
  return {
    ...outcome(
      test.fullName,
      state,
      errors.map(({ stack, message }) => stack ?? message),
    ),
    note,
  }
}

function outcome(name: string, state: Outcome['state'], errors: readonly string[]): Outcome {
  return { name, state, note: undefined, errors }
}
