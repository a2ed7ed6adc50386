/** Imports one file with the runtime's `import()`, or with the app's jiti if the runtime can't read it. */

import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { needsTypeScript } from '../node/typescript.js'

/** Imports the module at a `file:` URL. */
export type ImportModule = (url: string) => unknown

/** Imports a file. `version` is above 0 if the file has changed since it was imported. */
export async function readModule(
  file: string,
  version: number,
  importModule: ImportModule = importHere,
): Promise<unknown> {
  const url = pathToFileURL(file).href
  if (version === 0) return importModule(url)
  // ES modules are cached by URL, CommonJS modules by file.
  const { cache, resolve } = createRequire(file)
  delete cache[resolve(file)]
  return importModule(`${url}?version=${version}`)
}

/** Removes the version from URLs in an error message. */
export function withoutVersion(message: string): string {
  return message.replace(/\?version=\d+/g, '')
}

async function importHere(url: string): Promise<unknown> {
  try {
    return await import(url)
  } catch (error) {
    if (needsTypeScript(error)) return importWithJiti(url, error)
    throw withHint(error)
  }
}

interface Jiti {
  createJiti(
    from: string,
    options: { readonly interopDefault: boolean; readonly tsconfigPaths: boolean },
  ): { import(url: string): Promise<unknown> }
}

async function importWithJiti(url: string, reason: Error): Promise<unknown> {
  let entry: string
  try {
    entry = createRequire(url).resolve('jiti')
  } catch {
    throw new Error(
      `this runtime cannot read TypeScript: ${reason.message}. Run the app with tsx (node --import tsx), Bun, Deno or Node 22.18 or later, install jiti in the app, or load the folder of compiled files`,
      { cause: reason },
    )
  }
  const { createJiti } = (await import(pathToFileURL(entry).href)) as Jiti
  return createJiti(url, { interopDefault: false, tsconfigPaths: true }).import(url)
}

function withHint(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') return error
  const hint = 'this test runner forbids import() in packages; pass the option `import` to loadDirectory()'
  return new Error(`${hint}, such as (url) => require(fileURLToPath(url))`, { cause: error })
}
