/** The command in a process of its own. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'

export const root: string = fileURLToPath(new URL('../../..', import.meta.url))

export interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

export interface Started {
  readonly process: ReturnType<typeof spawn>
  readonly ended: Promise<Ran>
  /** Resolves once it has written this to stderr. */
  said(text: string): Promise<void>
}

/** As one file for a Node that nobody prepared; a module of the repository that is named is made one, too. */
export async function run(...args: readonly string[]): Promise<Ran> {
  const given = await Promise.all(args.map((arg) => (isModule(arg) ? bundledModule(arg) : arg)))
  return execute([await bundled(), ...given], root)
}

function isModule(arg: string): boolean {
  return /^test\/.*\.c?[jt]s$/.test(arg) && existsSync(join(root, arg))
}

export async function execute(command: readonly string[], cwd: string, input = ''): Promise<Ran> {
  return start(command, cwd, input).ended
}

export function start(command: readonly string[], cwd: string, input = ''): Started {
  const { FORCE_COLOR: _, NODE_ENV: __, ...env } = process.env
  const child = spawn(process.execPath, command, { cwd, env })
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    error += text
  })
  child.stdin.on('error', () => {}).end(input)
  return {
    process: child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, out, error }))),
    said: (text) =>
      new Promise((resolve) => {
        const look = (): void => void (error.includes(text) && resolve())
        child.stderr.on('data', look)
        look()
      }),
  }
}

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

export async function temporaryFolder(prefix: string = join(tmpdir(), 'mcp-router-')): Promise<string> {
  const folder = await mkdtemp(prefix)
  folders.push(folder)
  return folder
}

const made = new Map<string, Promise<string>>()

/** Once for each file. */
function once(entry: string, folder: () => Promise<string>): Promise<string> {
  const known = made.get(entry) ?? folder().then((place) => bundle(entry, join(place, 'bundled.mjs')))
  made.set(entry, known)
  return known
}

/** The command as one file. */
export function bundled(): Promise<string> {
  return once('integrations/cli/bin.ts', temporaryFolder)
}

/** A module with all of this package in it; other packages are found from where it lies. */
export function bundledModule(entry: string): Promise<string> {
  return once(entry, async () => {
    const cache = join(root, 'node_modules/.cache')
    await mkdir(cache, { recursive: true })
    return temporaryFolder(join(cache, 'cli-'))
  })
}

/** Puts a module and this package into one file, which is `outfile`. */
export async function bundle(entry: string, outfile: string, banner = ''): Promise<string> {
  const parts = await readdir(join(root, 'integrations'))
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    banner: { js: banner },
    alias: {
      '#runtime': `${root}integrations/node/runtime.ts`,
      'mcp-router': `${root}src/index.ts`,
      ...Object.fromEntries(
        parts.map((part) => [`mcp-router/${part}`, `${root}integrations/${part}/index.ts`]),
      ),
    },
  })
  return outfile
}
