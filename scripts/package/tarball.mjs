// What is in the tarball, and what two independent tools say about it.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

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

/** The build and the four files that every package has, nothing else. */
export function checkContents({ files, size }) {
  const foreign = files.filter((file) => !file.startsWith('dist/') && !ALWAYS.includes(file))
  const missing = ALWAYS.filter((file) => !files.includes(file))
  const problems = [
    ...foreign.map((file) => `${file} does not belong there`),
    ...missing.map((file) => `${file} is missing`),
    ...files
      .filter((file) => /\.(map|ts)$/.test(file) && !/\.d\.ts$/.test(file))
      .map((file) => `${file} is no build`),
  ]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return `${files.length} files, ${Math.round(size / 1024)} KiB packed`
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
 * publint takes `imports` in dist/esm/package.json and dist/cjs/package.json for ignored. Node looks in the nearest
 * package.json, and the entries that are run from plain Node would not load otherwise.
 */
function isOurImports({ code, args }) {
  return code === 'NESTED_PACKAGE_JSON_FIELD_IGNORED' && args.field === 'imports'
}

/** "Are the types wrong": every entry under node10, node16 from both kinds of module, and a bundler. */
export async function checkAttw(root, { file }) {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  try {
    await run(process.execPath, [attw, file, '--profile', 'strict', '--format', 'ascii', '--no-color'])
  } catch (error) {
    throw new Error(error.stdout || error.message)
  }
}
