// Reduces the declarations of the build to those that the entries import, directly or indirectly.
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { glob } from './glob.mjs'

/** Removes the declaration files below `folder` that no entry imports, directly or indirectly. */
export async function keepReachable(folder, entries) {
  const reached = new Set()
  const pending = entries.map((file) => resolve(file))
  for (const file of pending) {
    if (reached.has(file)) continue
    reached.add(file)
    pending.push(...(await importsOf(file)))
  }
  for (const file of await glob([folder], '.d.ts')) if (!reached.has(resolve(file))) await rm(file)
}

async function importsOf(file) {
  const text = await readFile(file, 'utf8')
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g)].map(([, name]) => name)
  return names.map((name) => resolve(file, '..', `${name}.d.ts`))
}
