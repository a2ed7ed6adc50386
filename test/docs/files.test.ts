/** What docs/files.md promises. */

import { readFile } from 'node:fs/promises'
import { McpRouter } from 'mcp-router'
import { type LoadedDirectory, loadDirectory } from 'mcp-router/files'
import { testClient, textOf } from 'mcp-router/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { isIgnored, nameOf, uriOf, withoutExtension } from '../../integrations/files/conventions.js'
import { filesPage, load } from './programs.js'

const page = await readFile(new URL('../../docs/files.md', import.meta.url), 'utf8')

describe('the page', () => {
  let router: McpRouter<object>
  let directory: LoadedDirectory

  beforeAll(async () => {
    const program = await load<{ router: McpRouter<object>; directory: LoadedDirectory }>(filesPage)
    router = program.router
    directory = program.directory
    return () => directory.close()
  })

  it('serves its files', async () => {
    expect(directory.files).toEqual(['tools/notes/search.ts', 'resources/notes/[id].ts'])
    const client = testClient(router)
    const found = await client.callTool('notesSearch', { word: 'milk' })
    expect(JSON.parse(textOf(found))).toEqual(['Buy milk'])
    expect(textOf(await client.readResource('notes://1'))).toBe('Call Eva')
    await expect(client.readResource('notes://9')).rejects.toThrow(/not found/i)
  })
})

describe('the tables', () => {
  const rows = (heading: string): string[] =>
    page
      .split(`## ${heading}\n`)[1]
      ?.split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []

  it('tell the truth of names', () => {
    const told = rows('Names').slice(2)
    expect(told).toHaveLength(9)
    for (const row of told) {
      const [, files = '', meaning = ''] = row.split('|')
      for (const [, folder = '', path = ''] of files.matchAll(/`(\w+)\/([^`]+)`/g)) {
        const parts = path.split('/').map(withoutExtension)
        expect(meaning).toContain(`\`${folder === 'resources' ? uriOf(parts) : nameOf(parts)}\``)
      }
    }
  })

  it('tell the truth of what is passed over', () => {
    const told = rows('What is passed over').join('\n')
    for (const name of ['_notes.ts', 'a.test.ts', 'a.spec.ts', 'a.bench.ts', 'a.d.ts', '.a.ts', 'a.json'])
      expect([name, isIgnored(name, false)]).toEqual([name, true])
    for (const [, extension] of told.matchAll(/`\.([cm]?[jt]sx?)`/g))
      expect([extension, isIgnored(`a.${extension}`, false)]).toEqual([extension, false])
    expect([isIgnored('_shared', true), isIgnored('node_modules', true)]).toEqual([true, true])
  })

  it('name every option', async () => {
    const refused = loadDirectory(new McpRouter<object>(), '.', { zzzzzzzzzz: 1 } as never)
    const message = await refused.then(
      () => '',
      (error: Error) => error.message,
    )
    const known = /known are (.*)$/.exec(message)?.[1]?.match(/\w+/g) ?? []
    expect(known.length).toBeGreaterThan(1)
    for (const option of known) expect(rows('Watching').join()).toContain(`| \`${option}`)
  })
})
