// npm run clients -- <host> [client…]: runs published MCP clients against the conformance server of a host. For `stdio`,
// each client starts the server itself.
// The clients are installed into .cache/clients, with the lock file in test/conformance/clients, whenever that changes.
import { execFile } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { clients, httpOnly } from '../test/conformance/clients/clients.mjs'
import { installOnce } from './cached-install.mjs'
import { exitOnSignals, withServer } from './conformance/server.mjs'

const source = fileURLToPath(new URL('../test/conformance/clients/', import.meta.url))
const cache = fileURLToPath(new URL('../.cache/clients/', import.meta.url))
const CLIENT_TIMEOUT_MS = 90_000

exitOnSignals()
const [host = '', ...only] = process.argv.slice(2)
const overStdio = host === 'stdio'
const suitable = Object.keys(clients).filter((name) => !overStdio || !httpOnly.includes(name))
const names = only.length > 0 ? only : suitable
for (const name of names) {
  if (!suitable.includes(name)) exit(`no client "${name}" for ${host}; there are ${suitable.join(', ')}`)
}

const totals = { passed: 0, failed: 0 }
try {
  await install()
  await (overStdio ? runClients(await stdioServer()) : withServer(host, (url) => runClients([url])))
} catch (error) {
  exit(error.message)
}
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 ? 1 : 0

async function runClients(target) {
  for (const name of names) {
    const line = await runClient(name, target)
    console.log(line)
    totals[line.startsWith('OK ') ? 'passed' : 'failed'] += 1
  }
}

/** Bundles the stdio server: some clients wait only a second for it, and none passes on environment variables. */
async function stdioServer() {
  const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
  const outfile = path('.cache/conformance-stdio.mjs')
  await build({
    entryPoints: [path('test/conformance/stdio.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfig: path('tsconfig.json'),
    logLevel: 'warning',
  })
  return ['--stdio', process.execPath, outfile]
}

async function install() {
  const text = (name) => readFile(`${source}${name}`, 'utf8')
  await installOnce(cache, {
    'package.json': await text('package.json'),
    'package-lock.json': await text('package-lock.json'),
  })
  await cp(source, cache, { recursive: true }) // packages are resolved from the folder of the scripts
}

function runClient(name, target) {
  return new Promise((resolve) => {
    const options = { cwd: cache, timeout: CLIENT_TIMEOUT_MS, killSignal: 'SIGKILL' }
    execFile(process.execPath, ['run.mjs', name, ...target], options, (error, stdout, stderr) => {
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
