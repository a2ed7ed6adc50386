// Runs the command-line clients that packages ship.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TIMEOUT_MS = 30_000

/** The file behind a command of an installed package. */
export async function commandFile(packageName, command) {
  const folder = new URL(`node_modules/${packageName}/`, import.meta.url)
  const { bin } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'))
  return new URL(typeof bin === 'string' ? bin : bin[command], folder).pathname
}

/** Runs a Node script to its end and returns the JSON that it printed. Throws what it said when it fails. */
export async function json(file, args, env = {}) {
  const { stdout } = await node(file, args, env)
  const start = stdout.search(/[[{]/)
  if (start === -1) throw new Error(`${args.join(' ')} printed no JSON: ${stdout}`)
  return JSON.parse(stdout.slice(start))
}

export async function node(file, args, env = {}) {
  const options = { env: { ...process.env, NO_COLOR: '1', ...env }, timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 }
  try {
    return await run(process.execPath, [file, ...args], options)
  } catch (error) {
    const said = `${error.stderr ?? ''}${error.stdout ?? ''}`.trim()
    throw new Error(`${args.join(' ')} ended with ${error.code ?? error.signal}: ${said.slice(0, 400)}`)
  }
}
