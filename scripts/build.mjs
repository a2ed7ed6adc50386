// Builds types with tsc, and from the same source with esbuild dist/esm and dist/cjs. The ES modules are few: each entry and
// what several of them share, since a process that starts waits for every file. CommonJS is file by file. The explorer's
// page is one for both.
// Each build has a package.json of its own: it names the module kind and picks the runtime per platform.
import { execFileSync } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { buildExplorer } from './explorer.mjs'
import { glob } from './glob.mjs'

process.chdir(new URL('..', import.meta.url).pathname)
await rm('dist', { recursive: true, force: true })
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly']
execFileSync(process.execPath, tsc, { stdio: 'inherit' })

const { exports, bin } = JSON.parse(await readFile('package.json', 'utf8'))
const served = JSON.stringify([exports, bin]).match(/dist\/esm\/[^"]+\.js/g)
const runtimes = ['src/portable.js', 'integrations/node/runtime.js', 'integrations/bare/runtime.js']
await build({
  entryPoints: [...new Set([...served.map((file) => file.slice('dist/esm/'.length)), ...runtimes])].map(
    (file) => file.replace(/\.js$/, '.ts'),
  ),
  outdir: 'dist/esm',
  outbase: '.',
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  bundle: true,
  splitting: true,
  packages: 'external',
  external: ['#runtime'],
  platform: 'neutral',
  target: 'es2022',
})

const sources = await glob(['src', 'integrations'], '.ts')
await build({
  entryPoints: sources.filter((file) => !file.endsWith('.d.ts')),
  outdir: 'dist/cjs',
  outbase: '.',
  format: 'cjs',
  platform: 'neutral',
  target: 'es2022',
  logOverride: { 'empty-import-meta': 'silent' }, // the runtimes of Node and Bare fall back to __filename
})

await buildExplorer()

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
            bare: './integrations/bare/runtime.js',
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
