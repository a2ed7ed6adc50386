// npm run clients -- <host> [client…]: lets published MCP clients talk to that host's conformance server.
// The clients are installed into .cache/clients, by the lock file beside their scripts, once per change of it.
import { execFile } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { clients } from '../test/conformance/clients/clients.mjs'
import { installOnce } from './cached-install.mjs'
import { exitOnSignals, withServer } from './conformance/server.mjs'

const source = fileURLToPath(new URL('../test/conformance/clients/', import.meta.url))
const cache = fileURLToPath(new URL('../.cache/clients/', import.meta.url))
const CLIENT_TIMEOUT_MS = 90_000

exitOnSignals()
const [host = '', ...only] = process.argv.slice(2)
const names = only.length > 0 ? only : Object.keys(clients)
for (const name of names) {
  if (!Object.hasOwn(clients, name)) exit(`no client "${name}"; there are ${Object.keys(clients).join(', ')}`)
}

const totals = { passed: 0, failed: 0 }
try {
  await install()
  await withServer(host, async (url) => {
    for (const name of names) {
      const line = await runClient(name, url)
      console.log(line)
      totals[line.startsWith('OK ') ? 'passed' : 'failed'] += 1
    }
  })
} catch (error) {
  exit(error.message)
}
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 ? 1 : 0

async function install() {
  const text = (name) => readFile(`${source}${name}`, 'utf8')
  await installOnce(cache, {
    'package.json': await text('package.json'),
    'package-lock.json': await text('package-lock.json'),
  })
  await cp(source, cache, { recursive: true }) // packages are looked up from where the scripts are
}

function runClient(name, url) {
  return new Promise((resolve) => {
    const options = { cwd: cache, timeout: CLIENT_TIMEOUT_MS, killSignal: 'SIGKILL' }
    execFile(process.execPath, ['run.mjs', name, url], options, (error, stdout, stderr) => {
      const verdict = stdout.split('\n').findLast((line) => /^(OK|FAIL) /.test(line))
      const end = error?.killed ? `no end within ${CLIENT_TIMEOUT_MS} ms` : stderr.trim().slice(-300)
      resolve(verdict ?? `FAIL ${name} ended without a verdict: ${end.replace(/\s+/g, ' ')}`)
    })
  })
}

function exit(message) {
  console.error(message)
  process.exit(2)
}
