/** The version of this package. */

import { readFileSync } from 'node:fs'

/** Returns the version in the package's `package.json`. Searches upwards, since builds differ in depth. */
export function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; ) {
    const { name, version } = read(new URL('package.json', folder))
    if (name === 'mcp-router' && version !== undefined) return version
    const parent = new URL('..', folder)
    if (parent.href === folder.href) return 'unknown'
    folder = parent
  }
}

function read(file: URL): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
