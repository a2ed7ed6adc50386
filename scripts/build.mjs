// Builds dist/esm with tsc (JavaScript and types) and dist/cjs from the same source with esbuild.
// Each build has a package.json of its own: it names the module kind and picks the runtime per platform.
import { execFileSync } from 'node:child_process'
import { cp, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { glob } from './glob.mjs'

process.chdir(new URL('..', import.meta.url).pathname)
await rm('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})

await build({
  entryPoints: await glob(['src', 'integrations'], '.ts'),
  outdir: 'dist/cjs',
  outbase: '.',
  format: 'cjs',
  platform: 'neutral',
  target: 'es2022',
  logOverride: { 'empty-import-meta': 'silent' }, // integrations/node/runtime.ts falls back to __filename
})

for (const file of await glob(['dist/esm'], '.d.ts')) await cp(file, file.replace('dist/esm', 'dist/cjs'))
for (const [folder, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  await writeFile(
    `dist/${folder}/package.json`,
    `${JSON.stringify(
      {
        type,
        sideEffects: ['./integrations/bare/*.js'],
        imports: {
          // Bare takes what is said for Node, unless it is named.
          '#runtime': {
            bare: './src/portable.js',
            node: './integrations/node/runtime.js',
            default: './src/portable.js',
          },
        },
      },
      null,
      2,
    )}\n`,
  )
}
