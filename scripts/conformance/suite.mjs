// Runs one release of the official conformance suite through npx and reads its records.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PACKAGE = '@modelcontextprotocol/conformance'
/** The suite needs `fs.globSync` of Node 22. On an older Node, npx runs the suite with this one. */
const NEWER_NODE = 'node@22.23.3'
const SCENARIO_TIMEOUT_MS = 30_000

/** The scenarios of the Tasks extension, which no suite of a revision contains. */
const tasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

/** All runs for a server. Together they cover both eras, the Tasks extension and both releases of the suite. */
export const RUNS = [
  { name: '2025-11-25', version: '0.2.0-alpha.12', specVersion: '2025-11-25' },
  { name: '2026-07-28', version: '0.2.0-alpha.12', specVersion: '2026-07-28' },
  { name: 'tasks', version: '0.2.0-alpha.12', scenarios: tasks },
  { name: 'stable', version: '0.1.16' },
]

/**
 * @returns {Promise<{ scenarios: Map<string, object[] | undefined>, log: string }>} the checks of each scenario that ran;
 * `undefined` for a scenario that started but recorded nothing. Scenarios that don't apply are left out.
 */
export async function runSuite(run, { url, scenario }) {
  const { scenarios } = run
  if (scenarios === undefined) return runOnce(run, { url, scenario })
  const wanted = scenario === undefined ? scenarios : scenarios.filter((name) => name === scenario)
  const records = { scenarios: new Map(), log: '' }
  for (const name of wanted) {
    const one = await runOnce(run, { url, scenario: name })
    for (const [found, checks] of one.scenarios) records.scenarios.set(found, checks)
    records.log += one.log
  }
  return records
}

async function runOnce({ version, specVersion }, { url, scenario }) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  const clean = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clean) // an interrupt leaves no folder behind
  try {
    const results = join(folder, 'results')
    await mkdir(results)
    const args = ['server', '--url', url, '-o', results]
    args.push(...(scenario ? ['--scenario', scenario] : ['--suite', 'all']))
    if (specVersion) args.push('--spec-version', specVersion)
    if (!version.startsWith('0.1.')) args.push('--timeout', String(SCENARIO_TIMEOUT_MS))
    const log = await npx(version, args, folder)
    return { scenarios: await readRecords(results, log), log }
  } finally {
    clean()
    process.off('exit', clean)
  }
}

/** Runs the suite. Its exit status is ignored, since its records are evaluated. */
async function npx(version, args, cwd) {
  const packages = ['-p', `${PACKAGE}@${version}`]
  if (Number(process.versions.node.split('.')[0]) < 22) packages.push('-p', NEWER_NODE)
  const command = ['--yes', '--loglevel=error', ...packages, '--', 'conformance', ...args]
  // In its own process group, so that npx and its child processes can be killed together.
  const child = spawn('npx', command, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
  process.once('exit', stop)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      log += chunk
    })
  }
  await once(child, 'close')
  process.off('exit', stop)
  return log
}

async function readRecords(results, log) {
  const scenarios = new Map()
  const announced = [...log.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map((match) => match[1])
  const inapplicable = new Set([...log.matchAll(/^SKIPPED: scenario '([^']+)'/gm)].map((match) => match[1]))
  for (const name of announced) if (!inapplicable.has(name)) scenarios.set(name, undefined)
  for (const entry of await readdir(results)) {
    const file = join(results, entry, 'checks.json')
    if (existsSync(file)) scenarios.set(scenarioOf(entry), JSON.parse(await readFile(file, 'utf8')))
  }
  return scenarios
}

/** Returns the scenario of a result folder, which is named `server-<scenario>-<time>`. */
function scenarioOf(folder) {
  return /^server-(.+?)-\d{4}-\d\d-\d\dT[\dA-Z.:-]+$/.exec(folder)?.[1] ?? folder
}
