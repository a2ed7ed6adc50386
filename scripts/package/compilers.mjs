// Type-checks consumers of the packed package with old and new compilers, in every mode of module resolution.
import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installOnce } from '../cached-install.mjs'

const run = promisify(execFile)
const COMPILERS = { '5.0': '5.0.4', 5.4: '5.4.5', 5.9: '5.9.3', '6.0': '6.0.3', '7.0': '7.0.2' }

const strict = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
/** Files that a compiler leaves out: the declarations of Zod 4 need TypeScript 5.4 (`NoInfer`). */
const NOT_WITH = { '5.0': 'zod.ts' }
/** The modes of module resolution. `kind`: the `type` in the consumer's package.json. */
const MODES = [
  {
    name: 'node16 esm',
    kind: 'module',
    options: { module: 'node16', moduleResolution: 'node16', ...strict },
  },
  { name: 'node16 cjs', kind: 'commonjs', options: { module: 'node16', moduleResolution: 'node16' } },
  { name: 'nodenext esm', kind: 'module', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  {
    name: 'nodenext cjs',
    kind: 'commonjs',
    options: { module: 'nodenext', moduleResolution: 'nodenext', ...strict },
  },
  { name: 'bundler', kind: 'module', options: { module: 'esnext', moduleResolution: 'bundler', ...strict } },
  { name: 'node10', kind: 'commonjs', options: { module: 'commonjs', moduleResolution: 'node10' } },
]

/** Installs the compilers below `cache` and returns a check per compiler and mode. */
export async function typeChecks({ cache, consumer, sources }) {
  await installCompilers(cache)
  const checks = []
  for (const version of Object.keys(COMPILERS)) {
    for (const mode of MODES) {
      if (mode.name === 'node10' && version === '7.0') continue // removed in TypeScript 7
      const folder = join(consumer, `types-${version}-${mode.name.replace(' ', '-')}`)
      const check = () => compile({ cache, version, mode, folder, sources })
      checks.push({ name: `TypeScript ${version}, ${mode.name}`, check })
    }
  }
  return checks
}

async function installCompilers(cache) {
  const aliases = Object.entries(COMPILERS).map(([name, version]) => [
    `typescript-${name}`,
    `npm:typescript@${version}`,
  ])
  const manifest = { private: true, dependencies: Object.fromEntries(aliases) }
  await installOnce(cache, { 'package.json': JSON.stringify(manifest, null, 2) })
}

async function compile({ cache, version, mode, folder, sources }) {
  await cp(sources, folder, { recursive: true, filter: (file) => !file.endsWith(NOT_WITH[version] ?? ' ') })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: mode.kind }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings(version, mode)))
  try {
    await run(process.execPath, [join(cache, `node_modules/typescript-${version}/bin/tsc`), '-p', folder])
  } catch (error) {
    throw new Error(error.stdout || error.message)
  }
}

function settings(version, { name, options }) {
  const deprecated = name === 'node10' && version === '6.0' ? { ignoreDeprecations: '6.0' } : {}
  return {
    compilerOptions: {
      target: 'es2022',
      strict: true,
      noEmit: true,
      esModuleInterop: true,
      skipLibCheck: false,
      types: ['node'],
      ...options,
      ...deprecated,
    },
  }
}
