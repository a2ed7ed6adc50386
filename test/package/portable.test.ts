/** `src/` and the web-standard mount need neither Node's modules nor any global that is not on the list. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('uses only the globals of test/types/portable/globals.d.ts', async () => {
  const compiler = 'node_modules/typescript/bin/tsc'
  const compiled = promisify(execFile)(process.execPath, [compiler, '-p', 'test/types/portable'], {
    cwd: root,
  })
  expect(
    await compiled.then(
      () => '',
      (error) => error.stdout || String(error),
    ),
  ).toBe('')
}, 60_000)

it('is one bundle without any import, as Workers need it', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ['src/index.ts', 'integrations/fetch/index.ts'],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    outdir: 'out',
    tsconfigRaw: {},
    // What the package says for every platform but Node.
    alias: { '#runtime': `${root}src/support/portable-runtime.ts` },
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  const inputs = Object.keys(metafile.inputs).filter((file) => !/^(src|integrations\/fetch)\//.test(file))
  expect(inputs.filter((file) => !file.startsWith('node_modules/@noble/'))).toEqual([])
  for (const { text } of outputFiles) expect(text).not.toMatch(/\brequire\(|["']node:|\b__dirname\b|\beval\(/)
})
