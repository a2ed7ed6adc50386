// Packs the package, and checks the tarball's contents, also with publint and "Are the types wrong".
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { glob } from '../glob.mjs'

const run = promisify(execFile)
const ALWAYS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']

/** Packs the package into `folder`. */
export async function pack(root, folder) {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  const printed = JSON.parse(stdout)
  const [{ filename, files, size }] = Array.isArray(printed) ? printed : Object.values(printed)
  return { file: join(folder, filename), files: files.map(({ path }) => path), size }
}

/** Everything that belongs at the top level. */
const TOP_LEVEL = [...ALWAYS, 'dist']
/** The explorer's page. */
const PAGE = ['index.html', 'app.js', 'app.css', 'frame.html'].map((name) => `dist/explorer/${name}`)
const LICENSES = 'dist/LICENSES.md'
/** Files in both builds: package.json, the runtimes that `#runtime` selects from, and Ajv. */
const IN_BOTH = [
  'package.json',
  'src/support/portable-runtime.js',
  'integrations/node/runtime.js',
  'integrations/bare/runtime.js',
  ...['both', 'ajv', 'ajv-2020'].map((name) => `vendor/${name}.cjs`),
].flatMap(inBoth)
/** Chunks that several modules share. The name contains a hash of the content. */
const CHUNK = /^dist\/(?:esm|cjs)\/chunks\/[\w.-]+-[0-9A-Z]{8}\.js$/
/** Declaration files. */
const TYPES = /\.d\.ts$/

/**
 * Checks that the tarball contains only the build and the four standard files. The build has, for both module types, the
 * targets of `package.json`, their chunks, and declarations that belong to a source.
 */
export async function checkContents(root, { files, size }) {
  const sources = await glob([join(root, 'src'), join(root, 'integrations')], '.ts')
  const types = sources.map((file) => relative(root, file).replace(/\.ts$/, '.d.ts')).flatMap(inBoth)
  const pointedTo = await targets(root)
  // `package.json` names only the ES module of the command line, but both builds contain it.
  const expected = [
    ...ALWAYS,
    LICENSES,
    ...IN_BOTH,
    ...PAGE,
    ...pointedTo,
    'dist/cjs/integrations/cli/bin.js',
  ]
  const single = files.filter((file) => !CHUNK.test(file) && !(TYPES.test(file) && types.includes(file)))
  const tops = new Set(files.map((file) => file.split('/')[0]))
  const problems = [
    ...without(single, expected).map((file) => `${file} does not belong there`),
    ...without(expected, files).map((file) => `${file} is missing`),
    ...without([...tops], TOP_LEVEL).map((name) => `${name} does not belong at the top level`),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return `${files.length} files, ${Math.round(size / 1024)} KiB packed`
}

function inBoth(file) {
  return [`dist/cjs/${file}`, `dist/esm/${file}`]
}

function without(names, others) {
  const known = new Set(others)
  return names.filter((name) => !known.has(name))
}

/** Returns every path in `exports`, `bin`, `main`, `module` and `types`. */
async function targets(root) {
  const { exports, bin, main, module, types, typesVersions } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  return leaves([exports, bin, main, module, types, typesVersions]).map((path) => path.replace(/^\.\//, ''))
}

function leaves(value) {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(leaves)
}

export async function checkPublint({ file }) {
  const tarball = (await readFile(file)).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const problems = messages.filter((message) => !isOurImports(message))
  if (problems.length > 0) {
    throw new Error(problems.map((message) => `${message.type}: ${formatMessage(message, pkg)}`).join('\n'))
  }
}

/**
 * Whether a message is about `imports` in dist/esm/package.json and dist/cjs/package.json. publint says that it's ignored,
 * but Node reads the nearest package.json, and the entries wouldn't load without it.
 */
function isOurImports({ code, args }) {
  return code === 'NESTED_PACKAGE_JSON_FIELD_IGNORED' && args.field === 'imports'
}

/** Runs "Are the types wrong": every entry with node10, node16 from both module types, and a bundler. */
export async function checkAttw(root, { file }) {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  try {
    await run(process.execPath, [attw, file, '--profile', 'strict', '--format', 'ascii', '--no-color'])
  } catch (error) {
    throw new Error(error.stdout || error.message)
  }
}
