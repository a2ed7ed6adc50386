/** Lets this process load TypeScript: with the app's own tsx, where it has one, else as far as Node does it by itself. */

import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file)
}

/**
 * Node takes types away by itself since 22.18, but does not find `./task.ts` where the code says `./task.js`, and knows
 * no paths of tsconfig.json; so tsx comes first.
 */
export async function prepareTypeScript(file: string): Promise<void> {
  for (const place of [path.resolve(file), path.join(process.cwd(), 'package.json')]) {
    let loader: string
    try {
      loader = createRequire(place).resolve('tsx')
    } catch {
      continue
    }
    // What `node --import tsx` does.
    await import(pathToFileURL(loader).href)
    return
  }
}

/** What Node says of a file, or of one that it imports, that it cannot read without help. */
export function needsTypeScript(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code, message } = error as Error & { code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND') return /\.[cm]?js' imported from .*\.[cm]?tsx?$/.test(message)
  return code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
}
