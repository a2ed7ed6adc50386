/** Measures the time until a server is ready, and the size of an installation, against the official SDK. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './measure.js'
import { costRow, type Row } from './row.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const rounds = 15

const ours = `import { McpRouter } from 'mcp-router'
const router = new McpRouter({ name: 'bench', version: '1.0.0' })
router.tool('ping', { description: 'Answers.', handler: () => 'pong' })
console.log(performance.now())`
const theirs = `import { McpServer } from '@modelcontextprotocol/server'
const server = new McpServer({ name: 'bench', version: '1.0.0' })
server.registerTool('ping', { description: 'Answers.' }, async () => ({ content: [{ type: 'text', text: 'pong' }] }))
console.log(performance.now())`

export async function measureStart(): Promise<Row> {
  const times = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.against.push(await timeOf(theirs))
    times.ours.push(await timeOf(ours))
  }
  const medians = { ours: median(times.ours), against: median(times.against) }
  const empty = await timeOf('console.log(performance.now())')
  const added = { ours: medians.ours - empty, against: medians.against - empty }
  return costRow('from the start of Node to a ready router', 'official SDK 2', 4, added, 'ms added')
}

async function timeOf(source: string): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source], { cwd: root })
  return Number(stdout)
}

/** Measures the size of an installation in addition to Express, which the app has anyway. */
export async function measureInstall(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-install-'))
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
    const base = await installed(folder, 'base', [])
    const own = await installed(folder, 'ours', [join(folder, stdout.trim())])
    const sdk = ['server', 'node', 'express'].map((name) => `@modelcontextprotocol/${name}`)
    const other = await installed(folder, 'theirs', sdk)
    const bytes = { ours: own.bytes - base.bytes, against: other.bytes - base.bytes }
    const packages = { ours: own.packages - base.packages, against: 12 }
    return [
      costRow('bytes that an installation adds to Express', 'official SDK 2', 4, bytes, 'bytes'),
      costRow('packages that an installation adds to Express', 'at most 12', 1, packages, 'packages'),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function installed(folder: string, name: string, packages: readonly string[]): Promise<Size> {
  const project = join(folder, name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', 'express', ...packages], { cwd: project })
  return sizeOf(join(project, 'node_modules'))
}

interface Size {
  readonly bytes: number
  readonly packages: number
}

async function sizeOf(modules: string): Promise<Size> {
  const names = await readdir(modules, { recursive: true })
  let bytes = 0
  for (const name of names) {
    const { size, isFile } = await stat(join(modules, name)).then((found) => ({
      size: found.size,
      isFile: found.isFile(),
    }))
    if (isFile) bytes += size
  }
  const isPackage = (name: string): boolean =>
    /(^|node_modules\/)(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(name)
  return { bytes, packages: names.filter(isPackage).length }
}
