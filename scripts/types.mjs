// The types of the build: those of its entries, and what these lead to.
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { glob } from './glob.mjs'

/** Removes the declarations below `folder` that no entry leads to: nobody can import what they describe. */
export async function keepReachable(folder, entries) {
  const reached = new Set()
  const left = entries.map((file) => resolve(file))
  for (const file of left) {
    if (reached.has(file)) continue
    reached.add(file)
    left.push(...(await importsOf(file)))
  }
  for (const file of await glob([folder], '.d.ts')) if (!reached.has(resolve(file))) await rm(file)
}

async function importsOf(file) {
  const text = await readFile(file, 'utf8')
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g)].map(([, name]) => name)
  return names.map((name) => resolve(file, '..', `${name}.d.ts`))
}
