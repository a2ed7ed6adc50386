/** `loadDirectory()`: what files become, and what it says of those that cannot. */

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { McpRouter } from 'mcp-router'
import { loadDirectory } from 'mcp-router/files'
import { testClient, textOf } from 'mcp-router/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderOf, promptFile, resourceFile, toolFile } from './folder.js'

const quiet = { info() {}, warn() {}, error() {} }
let router: McpRouter<object>

beforeEach(() => {
  router = new McpRouter<object>({ name: 'files', version: '1.0.0', logger: quiet })
})

const namesIn = (kind: string): string[] =>
  router.list().flatMap((one) => (one.kind === kind ? (one.uri ?? one.name) : []))

describe('a directory', () => {
  it('becomes tools, resources and prompts', async () => {
    const folder = folderOf({
      'tools/notes/search.ts': toolFile('found'),
      'tools/notes/index.js': toolFile('notes'),
      'tools/old.mjs': toolFile('renamed', "name: 'brand_new',"),
      'resources/config.ts': resourceFile(`text: '{}'`),
      'resources/notes/[id].ts': resourceFile(`handler: ({ id }) => 'note ' + id`),
      'resources/db/users/[id]/tags.ts': resourceFile(`handler: ({ id }) => 'tags of ' + id`),
      'resources/moved.ts': resourceFile(`text: 'x'`, 'app://elsewhere'),
      'prompts/plan/day.ts': promptFile('Plan'),
      'other/thing.ts': 'export default 1',
      'server.ts': 'throw new Error("never loaded")',
    })
    const { files } = await loadDirectory(router, folder.path)
    expect(files).toHaveLength(8)
    expect(namesIn('tool')).toEqual(['notes', 'notesSearch', 'brand_new'])
    expect(namesIn('resource')).toEqual([
      'config://',
      'app://elsewhere',
      'db://users/{id}/tags',
      'notes://{id}',
    ])
    expect(namesIn('prompt')).toEqual(['planDay'])
    const client = testClient(router)
    expect(textOf(await client.callTool('notesSearch'))).toBe('found')
    expect(textOf(await client.readResource('notes://7'))).toBe('note 7')
    expect(textOf(await client.readResource('db://users/ana/tags'))).toBe('tags of ana')
    expect(textOf(await client.readResource('config://'))).toBe('{}')
    expect((await client.listResources())[0]).toMatchObject({ uri: 'config://', name: 'config' })
    expect((await client.listResourceTemplates())[1]).toMatchObject({ name: 'notesId' })
  })

  it('may be a URL, or the text of one', async () => {
    const folder = folderOf({ 'tools/a.ts': toolFile('a') })
    await loadDirectory(router, pathToFileURL(folder.path))
    router.remove('tool', 'a')
    await loadDirectory(router, `${pathToFileURL(folder.path).href}/`)
    expect(namesIn('tool')).toEqual(['a'])
  })

  it('is passed over where the table says so', async () => {
    const folder = folderOf({
      'tools/a.ts': toolFile('a'),
      'tools/a.test.ts': 'throw 1',
      'tools/a.d.ts': 'throw 1',
      'tools/_shared/b.ts': 'throw 1',
      'tools/.cache/c.ts': 'throw 1',
      'tools/notes.md': '# Notes',
    })
    expect((await loadDirectory(router, folder.path)).files).toEqual(['tools/a.ts'])
  })

  it('may hold links, even in a circle', async () => {
    const folder = folderOf({ 'tools/a/one.ts': toolFile('one') })
    symlinkSync(join(folder.path, 'tools'), join(folder.path, 'tools/a/up'), 'dir')
    symlinkSync(join(folder.path, 'tools/a'), join(folder.path, 'tools/b'), 'dir')
    await loadDirectory(router, folder.path)
    expect(namesIn('tool')).toEqual(['aOne', 'bOne'])
  })

  it('is imported as the app says', async () => {
    const folder = folderOf({ 'tools/a.ts': 'not a module' })
    const { tool } = await import('mcp-router')
    const seen: string[] = []
    await loadDirectory(router, folder.path, {
      import(url) {
        seen.push(url)
        return { default: { default: tool({ description: 'd', handler: () => 'a' }) } }
      },
    })
    expect(seen).toEqual([pathToFileURL(join(folder.path, 'tools/a.ts')).href])
    expect(namesIn('tool')).toEqual(['a'])
  })
})

describe('what cannot be served', () => {
  const failure = async (files: Record<string, string>): Promise<string> => {
    const error: Error = await loadDirectory(router, folderOf(files).path).then(
      () => new Error('it was loaded'),
      (reason) => reason,
    )
    return error.message
  }

  it('is a clash, with both files named', async () => {
    const message = await failure({
      'tools/notes.ts': toolFile('a'),
      'tools/notes/index.ts': toolFile('b'),
    })
    expect(message).toMatch(/called "notes"/)
    expect(message).toContain(join('tools', 'notes.ts'))
    expect(message).toContain(join('tools', 'notes', 'index.ts'))
    expect(
      await failure({
        'resources/notes/[id].ts': resourceFile(`handler: () => 'a'`),
        'resources/x.ts': resourceFile(`handler: () => 'a'`, 'notes://{id}'),
      }),
    ).toMatch(/"notes:\/\/\{id\}".*\[id\]\.ts.*x\.ts/)
    expect(await failure({ 'tools/a.ts': toolFile('a'), 'tools/a.js': toolFile('a') })).toMatch(
      /a\.js.*a\.ts/,
    )
  })

  it('is a clash with what the app defines itself', async () => {
    router.tool('a', { description: 'd', handler: () => '' })
    expect(await failure({ 'tools/a.ts': toolFile('a') })).toMatch(/load\.test\.ts:\d+.*tools.a\.ts/)
  })

  it.each([
    ['tools/a.ts', 'import "./nowhere.js"', /tools\/a\.ts: could not be loaded: .*nowhere/],
    ['tools/a.ts', 'throw new Error("no database")', /tools\/a\.ts: could not be loaded: no database/],
    ['tools/a.ts', 'const', /tools\/a\.ts: could not be loaded/],
    [
      'tools/a.ts',
      'export const a = 1',
      /tools\/a\.ts: expected `export default tool\(\{ … \}\)`, got nothing/,
    ],
    ['tools/a.ts', 'export default () => 1', /tools\/a\.ts: expected .*got the function/],
    ['tools/a.ts', promptFile('p'), /tools\/a\.ts: expected a tool in tools\/, got a prompt/],
    ['tools/index.ts', toolFile('a'), /tools\/index\.ts: a tool has no name/],
    ['tools/[id].ts', toolFile('a', "name: 'a b',"), /tools\/\[id\]\.ts/],
    ['resources/index.ts', resourceFile(`text: ''`), /resources\/index\.ts: a resource has no URI/],
    [
      'resources/[id].ts',
      resourceFile(`text: ''`),
      /resources\/\[id\]\.ts: expected a URI scheme.*got "\[id\]"/,
    ],
    [
      'resources/a/[x][y].ts',
      resourceFile(`handler: () => ''`),
      /resources\/a\/\[x\]\[y\]\.ts: .*directly follows/,
    ],
    ['resources/a/[id].ts', resourceFile(`text: ''`), /resources\/a\/\[id\]\.ts: .*`handler`/],
  ])('is named: %s %s', async (name, text, message) => {
    expect(await failure({ [name]: text })).toMatch(message)
  })

  it('leaves nothing behind, and all of it is named', async () => {
    const message = await failure({
      'tools/a.ts': toolFile('a'),
      'tools/b.ts': 'throw 1',
      'prompts/c.ts': 'export default 2',
    })
    expect(message).toMatch(/tools\/b\.ts[\s\S]*prompts\/c\.ts/)
    expect(await failure({ 'tools/a.ts': toolFile('a'), 'tools/z.ts': toolFile('z', "name: 'a',") })).toMatch(
      /called "a"/,
    )
    expect(router.list()).toEqual([])
  })

  it('is a directory that is none', async () => {
    await expect(loadDirectory(router, join(folderOf({}).path, 'nowhere'))).rejects.toThrow(/nowhere.*ENOENT/)
    await expect(loadDirectory(router, import.meta.filename)).rejects.toThrow(/ENOTDIR/)
    await expect(loadDirectory(router, folderOf({ 'a.ts': '' }).path)).rejects.toThrow(
      /expected at least one of tools\//,
    )
    await expect(loadDirectory(router, folderOf({ 'tool/a.ts': '' }).path)).rejects.toThrow(
      /expected the folder to be called tools\/, found tool\//,
    )
    await expect(loadDirectory(router, undefined as never)).rejects.toThrow(/import\.meta\.url/)
    await expect(loadDirectory({} as never, '.')).rejects.toThrow(/McpRouter/)
    await expect(loadDirectory(router, '.', { watched: true } as never)).rejects.toThrow(/`watch`/)
  })

  it.each([
    'auth.ts',
    'auth.js',
    'Auth.mts',
    'auth/index.ts',
    'authentication.cjs',
    'auth.config.ts',
    'middleware.ts',
  ])('is a login that another framework would run: %s', async (name) => {
    const folder = folderOf({ 'tools/a.ts': toolFile('a'), [name]: 'throw new Error("never loaded")' })
    await expect(loadDirectory(router, folder.path)).rejects.toThrow(/protects nothing here.*option `auth`/)
    expect(router.list()).toEqual([])
  })

  it('is no file that only looks like a login', async () => {
    const names = ['_auth.ts', 'auth.d.ts', 'auth.test.ts', 'auth.md', 'authors.ts', 'tools/auth.ts']
    const folder = folderOf(Object.fromEntries(names.map((name) => [name, toolFile('a')])))
    await loadDirectory(router, folder.path)
    expect(namesIn('tool')).toEqual(['auth'])
  })

  it('is a link that leads nowhere', async () => {
    const folder = folderOf({ 'tools/a.ts': toolFile('a') })
    symlinkSync(join(folder.path, 'gone.ts'), join(folder.path, 'tools/b.ts'))
    await expect(loadDirectory(router, folder.path)).rejects.toThrow(/tools\/b\.ts: could not be loaded/)
  })
})
