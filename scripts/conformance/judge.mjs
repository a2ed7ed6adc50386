// Judges what the suites recorded: failures and warnings count, and so does a scenario in which nothing was asserted.

/** Judges runs one after the other. */
export function createJudge() {
  const totals = { passed: 0, failed: 0, skipped: 0 }

  /** @returns {string[]} a line per problem */
  function judgeRun(run, { scenarios, log }) {
    if (scenarios.size === 0) {
      totals.failed += 1
      return [`FAIL ${run}: the suite ran no scenario: ${oneLine(log)}`]
    }
    return [...scenarios].flatMap(([scenario, checks]) => {
      const { verdict, lines } = judgeScenario(scenario, checks)
      totals[verdict] += 1
      return lines.map((line) => line.replace(' ', ` ${run} `))
    })
  }

  return { judgeRun, totals }
}

function judgeScenario(scenario, checks) {
  if (!checks) return { verdict: 'failed', lines: [`FAIL ${scenario}: recorded no checks`] }
  const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
  if (bad.length > 0) {
    const lines = bad.map(
      (check) => `FAIL ${scenario}:${check.id} (${check.status.toLowerCase()}) ${reason(check)}`,
    )
    return { verdict: 'failed', lines }
  }
  if (checks.some((check) => check.status === 'SUCCESS')) return { verdict: 'passed', lines: [] }
  // The suite itself skips what it cannot check yet, and says why.
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
