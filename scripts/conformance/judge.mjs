// Judges what the suites recorded: failures and warnings count, unless they are on the list of expected failures,
// and an entry of the list that has nothing left to excuse counts too.

/**
 * Judges runs one after the other.
 * @param {{ entry: string, scenario: string, check: string | undefined }[]} expected
 */
export function createJudge(expected) {
  const entries = expected.map((entry) => ({ ...entry, ran: false, failed: false }))
  const totals = { passed: 0, failed: 0, skipped: 0 }

  /** @returns {string[]} a line per problem */
  function judgeRun(run, { scenarios, log }) {
    if (scenarios.size === 0) {
      totals.failed += 1
      return [`FAIL ${run}: the suite ran no scenario: ${oneLine(log)}`]
    }
    return [...scenarios].flatMap(([scenario, checks]) => {
      const { verdict, lines } = judgeScenario(scenario, checks, entries)
      totals[verdict] += 1
      return lines.map((line) => line.replace(' ', ` ${run} `))
    })
  }

  /**
   * @param {boolean} complete whether every scenario was run
   * @returns {string[]} a line per entry that had nothing to excuse
   */
  function judgeList(complete) {
    const stale = entries.filter((entry) => (entry.ran ? !entry.failed : complete))
    totals.failed += stale.length
    return stale.map(
      ({ entry, ran }) => `STALE ${entry}: ${ran ? 'it passes' : 'it never ran'}; remove it from the list`,
    )
  }

  return { judgeRun, judgeList, totals }
}

function judgeScenario(scenario, checks, entries) {
  if (!checks) return { verdict: 'failed', lines: [`FAIL ${scenario}: recorded no checks`] }
  const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
  const mine = entries.filter((entry) => entry.scenario === scenario)
  for (const entry of mine) note(entry, checks, bad)

  const unexpected = bad.filter((check) => !mine.some((entry) => !entry.check || entry.check === check.id))
  if (unexpected.length > 0) {
    return {
      verdict: 'failed',
      lines: unexpected.map(
        (check) => `FAIL ${scenario}:${check.id} (${check.status.toLowerCase()}) ${reason(check)}`,
      ),
    }
  }
  if (bad.length > 0) return { verdict: 'skipped', lines: [] }
  if (!checks.some((check) => check.status === 'SUCCESS')) {
    return { verdict: 'skipped', lines: [`NOTE ${scenario}: nothing was asserted`] }
  }
  return { verdict: 'passed', lines: [] }
}

function note(entry, checks, bad) {
  if (!entry.check) entry.ran = true
  else if (checks.some((check) => check.id === entry.check && check.status !== 'SKIPPED')) entry.ran = true
  if (bad.some((check) => !entry.check || check.id === entry.check)) entry.failed = true
}

function reason(check) {
  return oneLine(String(check.errorMessage ?? check.details?.message ?? check.description ?? ''))
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}
