// npm run audit: fails if a bundled or installed dependency of the package has a known vulnerability of severity high or critical.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
/** Whether an unreachable registry is a failure, as in the workflow that publishes. */
const isRequired = process.env.AUDIT_MUST_ANSWER !== undefined

const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const shipped = [...(await bundledNames()), ...Object.keys(dependencies)]
const report = await audit()
if (report.vulnerabilities === undefined) reportUnavailable(report)
else {
  const serious = Object.values(report.vulnerabilities).filter(
    ({ name, severity }) => shipped.includes(name) && ['high', 'critical'].includes(severity),
  )
  for (const { name, severity, range, via } of serious)
    console.log(`FAIL ${name} ${range}: ${severity}; ${titles(via)}`)
  console.log(
    `${shipped.length} packages, ${serious.length} with a known vulnerability of severity high or critical`,
  )
  process.exitCode = serious.length > 0 ? 1 : 0
}

/** Returns the names of the bundled packages, which the build lists in LICENSES.md. */
async function bundledNames() {
  const notes = await readFile(join(root, 'dist/LICENSES.md'), 'utf8')
  return [...notes.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name)
}

/** Runs npm audit. It exits with 1 both for vulnerabilities and for an unreachable registry, so the output decides. */
async function audit() {
  const command = ['audit', '--audit-level=high', '--json']
  const { stdout } = await run('npm', command, { cwd: root }).catch((error) => error)
  try {
    return JSON.parse(stdout)
  } catch {
    return { message: 'npm printed no JSON' }
  }
}

function reportUnavailable({ message, error }) {
  const reason = message ?? error?.summary ?? 'no reason given'
  console.log(`${isRequired ? 'FAIL' : 'SKIP'} the registry could not be reached: ${reason}`)
  process.exitCode = isRequired ? 1 : 0
}

function titles(via) {
  return via
    .map((cause) => (typeof cause === 'string' ? `by ${cause}` : `${cause.title} ${cause.url}`))
    .join('; ')
}
