/** `watch: true`: files that come, change and go; clients are told. */

import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { McpRouter } from 'mcp-router'
import { type LoadedDirectory, loadDirectory } from 'mcp-router/files'
import { type TestClient, testClient, textOf } from 'mcp-router/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Folder, folderOf, promptFile, resourceFile, toolFile } from './folder.js'

let router: McpRouter<object>
let client: TestClient
let said: string[]
let heard: () => void
let folder: Folder

beforeEach(() => {
  said = []
  heard = () => {}
  const say = (message: string): void => {
    said.push(message)
    heard()
  }
  router = new McpRouter<object>({
    name: 'watched',
    version: '1.0.0',
    logger: { info: say, warn: say, error: say },
  })
  client = testClient(router)
})
afterEach(() => client.close())

async function watched(files: Record<string, string>): Promise<LoadedDirectory> {
  folder = folderOf(files)
  const directory = await loadDirectory(router, folder.path, { watch: true })
  onTestFinished(() => directory.close())
  await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true })
  return directory
}

/** Resolves once the log has a line like this. */
function logged(line: RegExp): Promise<void> {
  return new Promise((resolve) => {
    heard = () => said.some((one) => line.test(one)) && resolve()
    heard()
  })
}

const changed = (list: string) => client.nextNotice(`notifications/${list}/list_changed`)
const call = async (name: string): Promise<string> => textOf(await client.callTool(name))

describe('a watched directory', () => {
  it('takes changes, and clients are told', async () => {
    await watched({ 'tools/a.ts': toolFile('one'), 'tools/b.ts': toolFile('b') })
    expect(await call('a')).toBe('one')
    for (const answer of ['two', 'three']) {
      const told = changed('tools')
      folder.write('tools/a.ts', toolFile(answer))
      await told
      expect(await call('a')).toBe(answer)
    }
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('takes new files, in new folders and in kinds that are new', async () => {
    await watched({ 'tools/a.ts': toolFile('a') })
    const tools = changed('tools')
    folder.write('tools/deep/er/b.ts', toolFile('b'))
    await tools
    expect(await call('deepErB')).toBe('b')
    const prompts = logged(/prompts\/plan\.ts was loaded: prompt "plan"/)
    folder.write('prompts/plan.ts', promptFile('Plan'))
    await prompts
    expect(textOf(await client.getPrompt('plan'))).toBe('Plan')
    const again = changed('tools')
    folder.write('tools/deep/er/b.ts', toolFile('b2'))
    await again
    expect(await call('deepErB')).toBe('b2')
  })

  it('lets go of what was removed, with its folder', async () => {
    const directory = await watched({
      'tools/a.ts': toolFile('a'),
      'resources/notes/[id].ts': resourceFile(`handler: () => 'note'`),
    })
    const told = changed('resources')
    folder.remove('resources')
    await told
    expect(await client.listResourceTemplates()).toEqual([])
    expect(directory.files).toEqual(['tools/a.ts'])
    const back = changed('resources')
    folder.write('resources/config.ts', resourceFile(`text: 'x'`))
    await back
    expect(directory.files).toEqual(['tools/a.ts', 'resources/config.ts'])
  })

  it('follows a file that is called otherwise, and names that change places', async () => {
    await watched({ 'tools/a.ts': toolFile('a'), 'tools/b.ts': toolFile('b') })
    const moved = changed('tools')
    renameSync(join(folder.path, 'tools/a.ts'), join(folder.path, 'tools/c.ts'))
    await moved
    expect(router.has('tool', 'a')).toBe(false)
    expect(await call('c')).toBe('a')
    const swapped = logged(/tools\/c\.ts was loaded: tool "b"/)
    folder.write('tools/b.ts', toolFile('from b', "name: 'c',"))
    folder.write('tools/c.ts', toolFile('from c', "name: 'b',"))
    await swapped
    await vi.waitFor(async () => expect([await call('b'), await call('c')]).toEqual(['from c', 'from b']))
  })

  it('keeps the last good definition of a file that broke, and says so once', async () => {
    await watched({ 'tools/a.ts': toolFile('good') })
    const broken = logged(/tools\/a\.ts: could not be loaded/)
    folder.write('tools/a.ts', 'export default tool({')
    await broken
    expect(await call('a')).toBe('good')
    const other = changed('tools')
    folder.write('tools/b.ts', toolFile('b'))
    await other
    expect(said.filter((line) => /could not be loaded/.test(line))).toHaveLength(1)
    const repaired = changed('tools')
    folder.write('tools/a.ts', toolFile('better'))
    await repaired
    expect(await call('a')).toBe('better')
  })

  it('says that two files clash, and takes the second one when the first is gone', async () => {
    await watched({ 'tools/a.ts': toolFile('first') })
    const clash = logged(/tools\/z\.ts: two tools are called "a".*a\.ts.*z\.ts/)
    folder.write('tools/z.ts', toolFile('second', "name: 'a',"))
    await clash
    expect(await call('a')).toBe('first')
    const told = logged(/tools\/z\.ts was loaded/)
    folder.remove('tools/a.ts')
    await told
    expect(await call('a')).toBe('second')
  })

  it('survives without its folders', async () => {
    await watched({ 'tools/a.ts': toolFile('a') })
    const told = logged(/expected at least one of tools\//)
    folder.remove('tools')
    await told
    const back = changed('tools')
    folder.write('tools/b.ts', toolFile('b'))
    await back
    await vi.waitFor(async () => expect(await call('b')).toBe('b'))
  })

  it('ends with close(), and with the router', async () => {
    const directory = await watched({ 'tools/a.ts': toolFile('a') })
    directory.close()
    const other = new McpRouter<object>({ logger: { info() {}, warn() {}, error() {} } })
    const second = await loadDirectory(other, folder.path, { watch: true })
    onTestFinished(() => second.close())
    const seen = testClient(other)
    await seen.listen({ toolsListChanged: true })
    const told = seen.nextNotice('notifications/tools/list_changed')
    folder.write('tools/b.ts', toolFile('b'))
    await told
    expect(router.has('tool', 'b')).toBe(false)
  })

  it('passes over a link that leads back', async () => {
    await watched({ 'tools/a.ts': toolFile('a') })
    const told = changed('tools')
    mkdirSync(join(folder.path, 'tools/deep'))
    symlinkSync(join(folder.path, 'tools'), join(folder.path, 'tools/deep/up'), 'dir')
    folder.write('tools/deep/b.ts', toolFile('b'))
    await told
    expect(await call('deepB')).toBe('b')
  })
})

it('is not watched in production, and not unless asked', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  folder = folderOf({ 'tools/a.ts': toolFile('a') })
  const still = await loadDirectory(router, folder.path, { watch: true })
  vi.stubEnv('NODE_ENV', 'test')
  const asked = new McpRouter<object>({ logger: { info() {}, warn() {}, error() {} } })
  const unasked = new McpRouter<object>({ logger: { info() {}, warn() {}, error() {} } })
  const watching = await loadDirectory(asked, folder.path, { watch: true })
  onTestFinished(() => watching.close())
  await loadDirectory(unasked, folder.path)
  folder.write('tools/b.ts', toolFile('b'))
  await vi.waitFor(() => expect(asked.has('tool', 'b')).toBe(true))
  expect([router.has('tool', 'b'), unasked.has('tool', 'b')]).toEqual([false, false])
  expect(still.files).toEqual(['tools/a.ts'])
})
