// npm run audit: fails where a package that is built into ours, or installed with it, has a known fault of weight "high" or more.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
/** Set where a registry that does not answer is a failure: in the workflow that publishes. */
const mustAnswer = process.env.AUDIT_MUST_ANSWER !== undefined

const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const served = [...(await namesBuiltIn()), ...Object.keys(dependencies)]
const report = await audit()
if (report.vulnerabilities === undefined) unanswered(report)
else {
  const grave = Object.values(report.vulnerabilities).filter(
    ({ name, severity }) => served.includes(name) && ['high', 'critical'].includes(severity),
  )
  for (const { name, severity, range, via } of grave)
    console.log(`FAIL ${name} ${range}: ${severity}; ${titles(via)}`)
  console.log(`${served.length} packages, ${grave.length} with a known fault of weight high or critical`)
  process.exitCode = grave.length > 0 ? 1 : 0
}

/** As the build noted them. */
async function namesBuiltIn() {
  const notes = await readFile(join(root, 'dist/LICENSES.md'), 'utf8')
  return [...notes.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name)
}

/** npm ends with 1 both where it finds a fault and where it could not ask; what it prints tells them apart. */
async function audit() {
  const command = ['audit', '--audit-level=high', '--json']
  const { stdout } = await run('npm', command, { cwd: root }).catch((error) => error)
  try {
    return JSON.parse(stdout)
  } catch {
    return { message: 'npm printed no JSON' }
  }
}

function unanswered({ message, error }) {
  const why = message ?? error?.summary ?? 'no reason given'
  console.log(`${mustAnswer ? 'FAIL' : 'SKIP'} the registry could not be asked: ${why}`)
  process.exitCode = mustAnswer ? 1 : 0
}

function titles(via) {
  return via.map((one) => (typeof one === 'string' ? `by ${one}` : `${one.title} ${one.url}`)).join('; ')
}
