/** A folder that has the package as users have it: both builds behind its map of entries, without types. */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Below the repository, so that the packages it needs are found. Returns the folder and a way to remove it. */
export async function installed(files: string): Promise<{ folder: string; remove: () => Promise<void> }> {
  await mkdir(join(root, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(root, '.cache/installed-'))
  const own = join(folder, 'node_modules/mcp-router')
  await mkdir(own, { recursive: true })
  await cp(files, folder, { recursive: true })
  // A package of its own: inside of ours, `mcp-router` would be the folder above.
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await cp(join(root, 'package.json'), join(own, 'package.json'))
  await Promise.all([compile(own, 'esm', 'module'), compile(own, 'cjs', 'commonjs')])
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function compile(own: string, format: 'esm' | 'cjs', type: string): Promise<void> {
  const outdir = join(own, 'dist', format)
  await build({
    absWorkingDir: root,
    entryPoints: ['src/**/*.ts', 'integrations/**/*.ts'],
    outdir,
    outbase: '.',
    format,
    platform: 'neutral',
    target: 'es2022',
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const imports = {
    '#runtime': { node: './integrations/node/runtime.js', default: './src/support/portable-runtime.js' },
  }
  await writeFile(join(outdir, 'package.json'), JSON.stringify({ type, imports }))
}
