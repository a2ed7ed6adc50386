/** The version of this package. */

import { readFileSync } from 'node:fs'

/** Returns the version in the package's `package.json`. Searches upwards, since builds differ in depth. */
export function packageVersion(): string {
  for (let place = new URL('.', import.meta.url); ; ) {
    const { name, version } = read(new URL('package.json', place))
    if (name === 'mcp-router' && version !== undefined) return version
    const above = new URL('..', place)
    if (above.href === place.href) return 'unknown'
    place = above
  }
}

function read(file: URL): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
