import { readdir } from 'node:fs/promises'

/** Returns the files below `folders` whose names end in `suffix`, sorted. */
export async function glob(folders, suffix) {
  const found = []
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && entry.name.endsWith(suffix)) found.push(`${entry.parentPath}/${entry.name}`)
    }
  }
  return found.sort()
}
