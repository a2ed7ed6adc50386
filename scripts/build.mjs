// Builds the types with tsc, dist/esm with esbuild, and dist/cjs from dist/esm. There are few modules, one for each entry plus
// shared chunks, because every file makes a process start slower. Both builds share the explorer's page. Packages that every
// user would need are bundled (`vendored.mjs`). Each build has its own package.json, which sets the module type, selects the
// runtime for each platform, and resolves bundled packages.
import { execFileSync } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { build } from 'esbuild'
import { buildExplorer } from './explorer.mjs'
import { glob } from './glob.mjs'
import { keepReachable } from './types.mjs'
import { bundled, vendor, writeLicenses } from './vendored.mjs'

process.chdir(new URL('..', import.meta.url).pathname)
await rm('dist', { recursive: true, force: true })
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly']
execFileSync(process.execPath, tsc, { stdio: 'inherit' })

const { exports, bin, dependencies, peerDependencies } = JSON.parse(await readFile('package.json', 'utf8'))
const entryFiles = JSON.stringify([exports, bin]).match(/dist\/esm\/[^"]+\.js/g)
await keepReachable('dist/esm', JSON.stringify(exports).match(/dist\/esm\/[^"]+\.d\.ts/g))
const runtimes = [
  'src/support/portable-runtime.ts',
  'integrations/node/runtime.ts',
  'integrations/bare/runtime.ts',
]
const common = {
  outdir: 'dist/esm',
  outbase: '.',
  format: 'esm',
  platform: 'neutral',
  mainFields: ['main'],
  target: 'es2022',
  bundle: true,
  external: ['#runtime', 'node:*', ...Object.keys({ ...dependencies, ...peerDependencies })],
  metafile: true,
}
const entries = new Set(entryFiles.map((file) => file.replace(/^dist\/esm\//, '').replace(/\.js$/, '.ts')))
const modules = await build({
  ...common,
  entryPoints: [...entries],
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
})
await dropEmpty('dist/esm')
// Built separately, so that nothing they share with an entry becomes another chunk.
const platforms = await build({ ...common, entryPoints: runtimes })

await build({
  entryPoints: await glob(['dist/esm'], '.js'),
  outdir: 'dist/cjs',
  outbase: 'dist/esm',
  format: 'cjs',
  platform: 'neutral',
  target: 'es2022',
  logOverride: { 'empty-import-meta': 'silent' }, // the runtimes of Node and Bare fall back to __filename
})

const page = await buildExplorer()

for (const file of await glob(['dist/esm'], '.d.ts')) await cp(file, file.replace('dist/esm', 'dist/cjs'))
const vendored = await vendor(['dist/esm/vendor', 'dist/cjs/vendor'])
await writeLicenses('dist/LICENSES.md', bundled([modules, platforms, vendored, page]))
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
          // Bare also matches the condition `node`, so its own condition comes first.
          '#runtime': {
            bare: './integrations/bare/runtime.js',
            node: './integrations/node/runtime.js',
            default: './src/support/portable-runtime.js',
          },
          '#ajv': './vendor/ajv.cjs',
          '#ajv/dist/2020': './vendor/ajv-2020.cjs',
        },
      },
      null,
      2,
    )}\n`,
  )
}

/** Removes files without code, which modules that only re-export leave, and their imports. */
async function dropEmpty(folder) {
  const files = await glob([folder], '.js')
  const texts = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')])))
  for (const [empty] of [...texts].filter(([, text]) => text === '')) {
    await rm(empty)
    texts.delete(empty)
    const line = new RegExp(`^import "[^"]*/${basename(empty)}";\n`, 'gm')
    for (const [file, text] of texts) {
      if (!line.test(text)) continue
      texts.set(file, text.replace(line, ''))
      await writeFile(file, texts.get(file))
    }
  }
}
