/** docs/codes.md has every code and status that the sources send, and quotes what they say. */

import { readdirSync, readFileSync } from 'node:fs'
import { ErrorCode } from 'mcp-router'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/codes.md', root), 'utf8')
const sources = ['src', 'integrations']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  )
  .filter((file) => file.endsWith('.ts') && !/^integrations\/(cli|testing)\//.test(file))
  .map((file) => readFileSync(new URL(file, root), 'utf8'))
  .join('\n')

/** The cells of the rows below a heading. */
const tableOf = (heading: string): string[][] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => /^\| (?!---)/.test(line))
    .slice(1)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))

describe('docs/codes.md', () => {
  it('has each code with its name, and no other', () => {
    const known = Object.entries(ErrorCode).map(([name, code]) => [String(code), `\`${name}\``])
    expect(
      tableOf('JSON-RPC codes')
        .map(([code, name]) => [code, name])
        .sort(),
    ).toEqual(known.sort())
  })

  it('has each status that is sent with an error, and no other', () => {
    const sent = [
      ...sources.matchAll(/\bstatus(?: =|:|\) \?\?| \?\?) ([2-5]\d\d)\b/g),
      ...sources.matchAll(/^\s*(?:'[\w.]+': )?\[\s*([45]\d\d),/gm),
      ...sources.matchAll(/\(([45]\d\d), [`'(]/g),
    ].map(([, status = '']) => status)
    const errors = new Set(sent.filter((status) => Number(status) >= 400))
    expect(errors.size).toBeGreaterThan(8)
    const told = tableOf('HTTP statuses').map(([status = '']) => status.slice(0, 3))
    expect([...errors].filter((status) => !told.includes(status))).toEqual([])
    expect(told.filter((status) => !sources.includes(status))).toEqual([])
  })

  it('quotes what is said', () => {
    const quoted = tableOf('What it says').map(([said = '']) => /`([^`]+)`/.exec(said)?.[1] ?? said)
    expect(quoted.length).toBeGreaterThan(10)
    expect(quoted.filter((said) => !sources.includes(said))).toEqual([])
  })
})
