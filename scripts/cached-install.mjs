// Installs packages into a folder below .cache once, and again when the packages or the version of Node change.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installs a project. `files`: the text of `package.json` (exact versions) and optionally `package-lock.json`, by name. */
export async function installOnce(folder, files) {
  const wanted = createHash('sha256').update(process.version).update(JSON.stringify(files)).digest('hex')
  const stamp = join(folder, 'node_modules/.installed-for')
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await npmInstall(folder)
  await writeFile(stamp, wanted)
}

/**
 * Runs `npm install` without install scripts. It isn't `npm ci`, because most of these folders have no lock file. A lock
 * file still pins every version.
 */
export async function npmInstall(folder, packages = []) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...packages], { cwd: folder })
}
