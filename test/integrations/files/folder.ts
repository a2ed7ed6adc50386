/** A directory of definitions for one test: inside the repository, where `mcp-router` is found. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const cache = fileURLToPath(new URL('../../../.cache', import.meta.url))

export interface Folder {
  readonly path: string
  write(name: string, text: string): void
  remove(name: string): void
}

export function folderOf(files: Readonly<Record<string, string>>): Folder {
  mkdirSync(cache, { recursive: true })
  const path = mkdtempSync(join(cache, 'files-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const folder: Folder = {
    path,
    write(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    },
    remove: (name) => rmSync(join(path, name), { recursive: true }),
  }
  for (const [name, text] of Object.entries(files)) folder.write(name, text)
  return folder
}

/** The source of a tool that answers a text. */
export function toolFile(answer: string, more = ''): string {
  return `import { tool } from 'mcp-router'
export default tool({ description: 'd', ${more} handler: () => ${JSON.stringify(answer)} })`
}

export function promptFile(text: string): string {
  return `import { prompt } from 'mcp-router'
export default prompt({ description: 'd', handler: () => ${JSON.stringify(text)} })`
}

/** The source of a resource; `options` are source too, the URI may be left to the file. */
export function resourceFile(options: string, uri?: string): string {
  return `import { resource } from 'mcp-router'
export default resource(${uri === undefined ? '' : `${JSON.stringify(uri)}, `}{ description: 'd', ${options} })`
}
