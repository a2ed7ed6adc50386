/** Loads TypeScript: with the app's own tsx or jiti, where it has one, else as far as Node does it by itself. */

import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { needsTypeScript } from '../../node/typescript.js'
import { LoadError } from '../exit-codes.js'

type Module = Readonly<Record<string, unknown>>

/**
 * Node takes types away by itself since 22.18, but does not find `./task.ts` where the code says `./task.js`, and knows
 * no paths of tsconfig.json; so the others come first.
 * @throws LoadError where nothing reads it; whatever the module throws
 */
export async function importTypeScript(file: string): Promise<Module> {
  const url = pathToFileURL(path.resolve(file)).href
  for (const [name, importWith] of Object.entries(helpers)) {
    const found = resolveBeside(file, name)
    if (found !== undefined) return importWith(url, found)
  }
  try {
    return await import(url)
  } catch (error) {
    if (!needsTypeScript(error)) throw error
    throw new LoadError(
      `${file}: this Node does not read all of its TypeScript: ${error.message}. Install tsx or jiti beside the app (npm install --save-dev tsx), or name the compiled file`,
    )
  }
}

const helpers: Readonly<Record<string, (url: string, helper: string) => Promise<Module>>> = {
  async tsx(url, helper) {
    // What `node --import tsx` does.
    await import(helper)
    return import(url)
  },
  async jiti(url, helper) {
    const { createJiti } = (await import(helper)) as { createJiti: typeof Jiti }
    return createJiti(url, { interopDefault: false, tsconfigPaths: true }).import(url)
  },
}

/** The part of jiti that is used here. */
declare function Jiti(
  id: string,
  options: { readonly interopDefault: boolean; readonly tsconfigPaths: boolean },
): { import(id: string): Promise<Module> }

/** Beside the module, else in the folder where the command was started. */
function resolveBeside(file: string, name: string): string | undefined {
  for (const place of [path.resolve(file), path.join(process.cwd(), 'package.json')]) {
    try {
      return pathToFileURL(createRequire(place).resolve(name)).href
    } catch {
      // Not there.
    }
  }
  return undefined
}
