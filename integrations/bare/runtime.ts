/** What the core asks of its platform, on Bare: what there is of the web, and the files of the package. */

import './globals.js'
import { runtime as portable } from '../../src/support/portable-runtime.js'
import type { Runtime } from '../../src/support/runtime.js'

export const runtime: Runtime = { ...portable, explorerFile }

interface Files {
  readFile(path: string, encoding: 'utf8'): Promise<string>
}

/** By a name that packers do not follow: what is packed has no files beside it, and needs no reader of them. */
const reader = 'bare-fs/promises'

/** They are beside both builds, whichever file of a build this is in; the source has them where it builds to. */
async function explorerFile(name: string): Promise<string> {
  const module = (await import(reader)) as Files & { readonly default?: Files }
  const { readFile } = module.default ?? module
  // The CommonJS build leaves `import.meta.url` undefined; `__filename` exists there and only there.
  const here = import.meta.url === undefined ? __filename : pathOf(import.meta.url)
  const [, dist = here.replace(/[^\\/]+$/, '../../dist')] =
    /^(.*[\\/]dist)[\\/](?:esm|cjs)[\\/]/.exec(here) ?? []
  return readFile(`${dist}/explorer/${name}`, 'utf8')
}

/** `file:///home/x` is `/home/x`, `file:///C:/x` is `C:/x`. */
function pathOf(url: string): string {
  return decodeURIComponent(url.replace(/^file:\/\//, '').replace(/^\/(?=[a-z]:)/i, ''))
}
