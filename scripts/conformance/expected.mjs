// Reads the list of expected failures: the `server:` list of a YAML file, entries `scenario` or `scenario:check`.
import { readFile } from 'node:fs/promises'

/** @returns {Promise<{ entry: string, scenario: string, check: string | undefined }[]>} */
export async function readExpected(file) {
  const found = []
  let section = ''
  for (const [index, raw] of (await readFile(file, 'utf8')).split('\n').entries()) {
    const line = raw.replace(/(^|\s)#.*$/, '').trimEnd()
    if (line === '') continue
    const header = /^([a-z]+):(?:\s*\[\])?$/.exec(line)?.[1]
    const entry = /^\s+-\s+(['"]?)(\S+)\1$/.exec(line)?.[2]
    if (header) section = header
    else if (!entry) throw new Error(`${file}:${index + 1}: expected "  - scenario" or "  - scenario:check"`)
    else if (section === 'server') found.push(toEntry(entry))
  }
  return found
}

function toEntry(entry) {
  const colon = entry.indexOf(':')
  if (colon === -1) return { entry, scenario: entry, check: undefined }
  return { entry, scenario: entry.slice(0, colon), check: entry.slice(colon + 1) }
}
