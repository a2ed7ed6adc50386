/** A program for one runtime: one file, with what the package's export map says for that runtime. */

import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

export const binaries = {
  bare: [bareBinary()],
  bun: ['node_modules/.bin/bun', 'run'],
  deno: ['node_modules/.bin/deno', 'run', '--allow-all'],
} as const

/** Itself: the command of the package starts it as a process of its own, having made it executable. */
function bareBinary(): string {
  const path: string = createRequire(import.meta.url)('bare-runtime')()
  chmodSync(path, 0o755)
  return path
}

export type Runtime = keyof typeof binaries

const file = (name: string): string => `${root}${name}`

const aliases: Record<Runtime, Record<string, string>> = {
  bare: {
    '#runtime': file('integrations/bare/runtime.ts'),
    'mcp-router': file('integrations/bare/router.ts'),
    'mcp-router/stdio': file('integrations/bare/stdio.ts'),
    'mcp-router/bare': file('integrations/bare/index.ts'),
  },
  bun: { '#runtime': file('integrations/node/runtime.ts') },
  deno: { '#runtime': file('integrations/node/runtime.ts') },
}
const shared = {
  'mcp-router': file('src/index.ts'),
  'mcp-router/stdio': file('integrations/stdio/index.ts'),
}

/** Resolves to its path, inside of the repository so that packages are found. */
export async function bundle(runtime: Runtime, program: string): Promise<string> {
  const folder = await mkdtemp(file('node_modules/.mcp-router-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outfile = `${folder}/program.mjs`
  await build({
    entryPoints: [file(`test/runtimes/${program}`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: runtime === 'bare' ? 'neutral' : 'node',
    mainFields: ['module', 'main'],
    external: ['bare-*'],
    tsconfigRaw: {},
    alias: { ...shared, ...aliases[runtime] },
  })
  return outfile
}
