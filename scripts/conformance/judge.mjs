// Evaluates the records of the suites. A scenario fails for failures, warnings, and if it asserted nothing.

/** Creates an evaluator that adds up the totals of several runs. */
export function createEvaluator() {
  const totals = { passed: 0, failed: 0, skipped: 0 }

  /** @returns {string[]} one line per problem */
  function evaluateRun(run, { scenarios, log }) {
    if (scenarios.size === 0) {
      totals.failed += 1
      return [`FAIL ${run}: the suite ran no scenario: ${oneLine(log)}`]
    }
    return [...scenarios].flatMap(([scenario, checks]) => {
      const { verdict, lines } = evaluateScenario(scenario, checks)
      totals[verdict] += 1
      return lines.map((line) => line.replace(' ', ` ${run} `))
    })
  }

  return { evaluateRun, totals }
}

function evaluateScenario(scenario, checks) {
  if (!checks) return { verdict: 'failed', lines: [`FAIL ${scenario}: recorded no checks`] }
  const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
  if (bad.length > 0) {
    const lines = bad.map(
      (check) => `FAIL ${scenario}:${check.id} (${check.status.toLowerCase()}) ${reason(check)}`,
    )
    return { verdict: 'failed', lines }
  }
  if (checks.some((check) => check.status === 'SUCCESS')) return { verdict: 'passed', lines: [] }
  // The suite skips checks that it doesn't implement yet, and gives the reason.
  const [skipped] = checks
  if (skipped !== undefined && checks.every((check) => check.status === 'SKIPPED')) {
    return { verdict: 'skipped', lines: [`NOTE ${scenario}: ${reason(skipped)}`] }
  }
  return { verdict: 'failed', lines: [`FAIL ${scenario}: nothing was asserted`] }
}

function reason(check) {
  return oneLine(String(check.errorMessage ?? check.details?.message ?? check.description ?? ''))
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}
