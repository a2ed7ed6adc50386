// Builds the explorer's page into dist/explorer: its files are read from there, by the builds and by the source.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What the client of the command line takes from elsewhere than from a browser. */
const inBrowsers = {
  name: 'in-browsers',
  setup({ onLoad, onResolve }) {
    const instead = (file) => () => ({ path: `${root}explorer/${file}` })
    onResolve({ filter: /^node:timers\/promises$/ }, instead('timers.ts'))
    // For tests of form themes, with a validator that compiles code.
    onLoad({ filter: /rjsf\/core\/lib\/getTestRegistry\.js$/ }, () => ({
      contents: 'export default undefined',
    }))
  },
}

/** Replaces files whole: tests build while others read. */
async function put(name, contents) {
  const file = `${root}dist/explorer/${name}`
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, contents)
  await rename(draft, file)
}

export async function buildExplorer() {
  const { metafile, outputFiles } = await build({
    entryPoints: { app: `${root}explorer/main.tsx` },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: `${root}dist/explorer`,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    legalComments: 'inline',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '#runtime': `${root}src/support/portable-runtime.ts` },
    plugins: [inBrowsers],
    tsconfig: `${root}explorer/tsconfig.json`,
    logLevel: 'warning',
  })
  await mkdir(`${root}dist/explorer`, { recursive: true })
  for (const { path, contents } of outputFiles) await put(path.slice(path.lastIndexOf('/') + 1), contents)
  for (const name of ['index.html', 'frame.html']) await put(name, await readFile(`${root}explorer/${name}`))
  return { metafile }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExplorer()
