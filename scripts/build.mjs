// Builds types with tsc, and from the same source with esbuild dist/esm, and from that dist/cjs. The modules are few: each
// entry and what several of them share, since a process that starts waits for every file. The explorer's page is one for both.
// Packages that all users would need are built in (`vendored.mjs`). Each build has a package.json of its own: it names the
// module kind, picks the runtime per platform, and finds what is built in.
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
const served = JSON.stringify([exports, bin]).match(/dist\/esm\/[^"]+\.js/g)
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
const entries = new Set(served.map((file) => file.replace(/^dist\/esm\//, '').replace(/\.js$/, '.ts')))
const modules = await build({
  ...common,
  entryPoints: [...entries],
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
})
await dropEmpty('dist/esm')
// By themselves: what they share with an entry would be one more file to wait for.
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
          // Bare takes what is said for Node, unless it is named.
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

/** Modules that only pass on what others export leave files without code: nobody need wait for those. */
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
