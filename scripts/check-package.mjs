// npm run check:package: builds and packs the package, then installs and uses the tarball as users do.
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { npmInstall } from './cached-install.mjs'
import { exitOnSignals } from './conformance/server.mjs'
import { checkOnBare } from './package/bare.mjs'
import { typeChecks } from './package/compilers.mjs'
import { checkFirstUse } from './package/first-use.mjs'
import { checkAttw, checkContents, checkPublint, pack } from './package/tarball.mjs'

const run = promisify(execFile)
exitOnSignals()
const root = fileURLToPath(new URL('..', import.meta.url))
const temporary = await mkdtemp(join(tmpdir(), 'check-package-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))
const totals = { passed: 0, failed: 0 }

try {
  await run(process.execPath, ['scripts/build.mjs'], { cwd: root })
  console.log('OK build')
  totals.passed += 1
  const tarball = await pack(root, temporary)
  await step('contents of the tarball', () => checkContents(root, tarball))
  await step('publint', () => checkPublint(tarball))
  await step('are the types wrong', () => checkAttw(root, tarball))

  const consumer = await installConsumer(tarball)
  for (const file of ['esm.mjs', 'cjs.cjs']) {
    await step(`every entry from plain Node, ${file}`, () => runFile(join(consumer, file)))
  }
  for (const format of ['esm', 'cjs']) {
    await step(`a bundled app, ${format}`, () => runBundled(consumer, format))
  }
  for (const file of ['bare.mjs', 'bare.cjs']) {
    await step(`a call from Bare, ${file}`, () => checkOnBare(consumer, file))
  }
  await step('first use: init, run, call', async () =>
    checkFirstUse(join(temporary, 'first-use'), tarball, `express@${await installedVersion('express')}`),
  )
  const checks = await typeChecks({
    cache: join(root, '.cache/compilers'),
    consumer,
    sources: join(root, 'test/types/consumer'),
  })
  // Two at a time, since a compiler mostly uses one core.
  const pending = [...checks]
  const worker = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) await step(next.name, next.check)
  }
  await Promise.all([worker(), worker()])
} catch (error) {
  console.log(`FAIL ${[error.message, error.stdout, error.stderr].filter(Boolean).join('\n')}`)
  totals.failed += 1
}
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 ? 1 : 0

async function step(name, check) {
  try {
    const detail = await check()
    totals.passed += 1
    console.log(`OK ${name}${detail ? `: ${detail}` : ''}`)
  } catch (error) {
    totals.failed += 1
    console.log(`FAIL ${name}: ${error.message.trim()}`)
  }
}

/** Installs the tarball and its peer dependencies, in the versions of this repository, into an empty project. */
async function installConsumer({ file }) {
  const consumer = join(temporary, 'consumer')
  await cp(join(root, 'test/package/consumer'), consumer, { recursive: true })
  await writeFile(join(consumer, 'package.json'), '{ "private": true }')
  const peers = [
    '@opentelemetry/api',
    'bare-crypto',
    'bare-fs',
    'bare-http1',
    'bare-stdio',
    'bullmq',
    'jose',
    'redis',
    'ws',
  ]
  const dependencies = ['express', '@types/express', '@types/node', 'fastify', 'koa', 'zod', ...peers]
  const versions = await Promise.all(
    dependencies.map(async (name) => `${name}@${await installedVersion(name)}`),
  )
  await npmInstall(consumer, [file, ...versions])
  return consumer
}

async function installedVersion(name) {
  return JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** Bundles an app and runs it in the consumer's folder, where its external packages are. */
async function runBundled(consumer, format) {
  const outfile = join(consumer, `build/app.${format === 'esm' ? 'mjs' : 'cjs'}`)
  await build({
    entryPoints: [join(consumer, 'bundled.mjs')],
    bundle: true,
    platform: 'node',
    format,
    outfile,
    logLevel: 'silent',
  })
  await run(process.execPath, [outfile], { cwd: consumer })
}

/** In development, where the explorer is open without a key. */
async function runFile(file) {
  try {
    const env = { ...process.env, NODE_ENV: 'development' }
    const { stdout } = await run(process.execPath, [file], { env })
    return stdout.trim()
  } catch (error) {
    throw new Error(error.stderr || error.message)
  }
}
