/** The platform on Bare: web APIs, as far as there are any, and the package's files. */

import './globals.js'
import { runtime as portable } from '../../src/support/portable-runtime.js'
import type { Runtime } from '../../src/support/runtime.js'

export const runtime: Runtime = { ...portable, explorerFile }

interface Files {
  readFile(path: string, encoding: 'utf8'): Promise<string>
}

/**
 * Module name in a variable, so that bundlers don't follow the import: a bundle has no explorer files and needs no
 * reader.
 */
const fsModule = 'bare-fs/promises'

/** Reads a file of the explorer. Both builds share the folder `dist/explorer`; the sources use it too. */
async function explorerFile(name: string): Promise<string> {
  const module = (await import(fsModule)) as Files & { readonly default?: Files }
  const { readFile } = module.default ?? module
  // The CommonJS build leaves `import.meta.url` undefined; `__filename` exists there and only there.
  const here = import.meta.url === undefined ? __filename : pathOf(import.meta.url)
  const [, dist = here.replace(/[^\\/]+$/, '../../dist')] =
    /^(.*[\\/]dist)[\\/](?:esm|cjs)[\\/]/.exec(here) ?? []
  return readFile(`${dist}/explorer/${name}`, 'utf8')
}

/** Converts a file URL to a path: `file:///home/x` to `/home/x`, `file:///C:/x` to `C:/x`. */
function pathOf(url: string): string {
  return decodeURIComponent(url.replace(/^file:\/\//, '').replace(/^\/(?=[a-z]:)/i, ''))
}
