// Builds the explorer's page into dist/explorer. Both the builds and the source serve the page from there.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Replaces the modules of the command line's client that don't work in a browser. */
const inBrowsers = {
  name: 'in-browsers',
  setup({ onLoad, onResolve }) {
    const replaceWith = (file) => () => ({ path: `${root}explorer/${file}` })
    onResolve({ filter: /^node:timers\/promises$/ }, replaceWith('timers.ts'))
    // Used only in tests of form themes. It contains a validator that generates code.
    onLoad({ filter: /rjsf\/core\/lib\/getTestRegistry\.js$/ }, () => ({
      contents: 'export default undefined',
    }))
  },
}

/** Replaces a file atomically, since tests may build while others read it. */
async function writeWhole(name, contents) {
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
  for (const { path, contents } of outputFiles)
    await writeWhole(path.slice(path.lastIndexOf('/') + 1), contents)
  for (const name of ['index.html', 'frame.html'])
    await writeWhole(name, await readFile(`${root}explorer/${name}`))
  return { metafile }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExplorer()
