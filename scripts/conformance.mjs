// npm run conformance -- <host> [--scenario NAME]: runs the official conformance suites against the server of a host.
import { parseArgs } from 'node:util'
import { createEvaluator } from './conformance/judge.mjs'
import { exitOnSignals, withServer } from './conformance/server.mjs'
import { RUNS, runSuite } from './conformance/suite.mjs'

exitOnSignals()
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { scenario: { type: 'string' } },
})
const evaluator = createEvaluator()

try {
  // Without a host name, the server prints the list of hosts and exits.
  await withServer(positionals[0] ?? '', async (url) => {
    for (const run of RUNS) {
      const started = performance.now()
      const before = { ...evaluator.totals }
      const records = await runSuite(run, { url, scenario: values.scenario })
      // Not every run contains every scenario.
      if (values.scenario && records.scenarios.size === 0) continue
      for (const line of evaluator.evaluateRun(run.name, records)) console.log(line)
      console.log(`${run.name} (${run.version}): ${since(before)} in ${seconds(started)}`)
    }
  })
} catch (error) {
  console.error(error.message)
  process.exit(2)
}
const { passed, failed, skipped } = evaluator.totals
console.log(counts(evaluator.totals))
process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0

function since(before) {
  const { passed, failed, skipped } = evaluator.totals
  return counts({
    passed: passed - before.passed,
    failed: failed - before.failed,
    skipped: skipped - before.skipped,
  })
}

function counts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}
