/** Reads the name and version of the app that the router is mounted in. */

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Reads the `package.json` nearest to the program that was started, or else to the working directory. */
export function packageOfApp(): { name?: string; version?: string } {
  const script = process.argv[1]
  const folders = [...(script === undefined ? [] : [path.dirname(script)]), process.cwd()]
  for (const folder of folders) {
    const found = nearest(folder)
    if (found !== undefined) return found
  }
  return {}
}

function nearest(folder: string): { name?: string; version?: string } | undefined {
  for (let current = folder; ; current = path.dirname(current)) {
    const file = path.join(current, 'package.json')
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8'))
      if (typeof name === 'string') return { name, ...(typeof version === 'string' && { version }) }
    }
    if (path.dirname(current) === current) return undefined
  }
}
