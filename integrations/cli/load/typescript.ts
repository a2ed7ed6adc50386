/** Imports TypeScript with the app's tsx or jiti if it has one, else with Node's type stripping. */

import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { needsTypeScript } from '../../node/typescript.js'
import { LoadError } from '../exit-codes.js'

type Module = Readonly<Record<string, unknown>>

/**
 * Imports a TypeScript module. tsx and jiti come first, because Node strips types since 22.18, but doesn't resolve
 * `./task.js` to `./task.ts` or `paths` of tsconfig.json.
 * @throws LoadError if nothing can read the file, and errors of the module itself
 */
export async function importTypeScript(file: string): Promise<Module> {
  const url = pathToFileURL(path.resolve(file)).href
  for (const [name, importWith] of Object.entries(loaders)) {
    const loader = resolveFrom(file, name)
    if (loader !== undefined) return importWith(url, loader)
  }
  try {
    return await import(url)
  } catch (error) {
    if (!needsTypeScript(error)) throw error
    throw new LoadError(
      `${file}: this version of Node cannot read all of its TypeScript: ${error.message}. Install tsx or jiti in the app (npm install --save-dev tsx), or pass the compiled file`,
    )
  }
}

const loaders: Readonly<Record<string, (url: string, loader: string) => Promise<Module>>> = {
  async tsx(url, loader) {
    // The same as `node --import tsx`.
    await import(loader)
    return import(url)
  },
  async jiti(url, loader) {
    const { createJiti } = (await import(loader)) as { createJiti: typeof Jiti }
    return createJiti(url, { interopDefault: false, tsconfigPaths: true }).import(url)
  },
}

/** The part of jiti's API that is used here. */
declare function Jiti(
  id: string,
  options: { readonly interopDefault: boolean; readonly tsconfigPaths: boolean },
): { import(id: string): Promise<Module> }

/** Resolves a package from the module, else from the current directory. */
function resolveFrom(file: string, name: string): string | undefined {
  for (const origin of [path.resolve(file), path.join(process.cwd(), 'package.json')]) {
    try {
      return pathToFileURL(createRequire(origin).resolve(name)).href
    } catch {
      // Not installed there.
    }
  }
  return undefined
}
