/** README and pages: their code compiles, their links lead somewhere, and the README does what it says. */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { McpRouter, prompt, resource, tool } from 'mcp-router'
import * as adapter from 'mcp-router/adapter'
import { mcp } from 'mcp-router/express'
import { beforeAll, describe, expect, it } from 'vitest'
import { initialize, legacy, listen, modern } from './client.js'
import { app, timings } from './preludes/readme.js'
import { complaintsAboutPage, complaintsAboutTests, load, pages, plainPages, readme } from './programs.js'

const root = new URL('../..', import.meta.url)
const textOf = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8')

describe.concurrent('the compiler is content', () => {
  it.each(pages.filter((page) => !plainPages.includes(page)))(
    'with $path, with the imports that it shows',
    async (page) => {
      expect(await complaintsAboutPage(page)).toBe('')
    },
    60_000,
  )

  it('with these tests', async () => {
    expect(await complaintsAboutTests()).toBe('')
  }, 60_000)
})

describe.each([...pages.map(({ path }) => path), 'examples/express/README.md'])('%s', (path) => {
  it('links to what is there', async () => {
    const links = [...(await textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const dead = []
    for (const link of links.filter((one) => !one.startsWith('https://'))) {
      const target = new URL(link, new URL(path, root))
      const heading = target.hash.slice(1)
      target.hash = ''
      if (!existsSync(target)) dead.push(link)
      else if (heading !== '' && !anchors(await readFile(target, 'utf8')).includes(heading)) dead.push(link)
    }
    expect(dead).toEqual([])
  })
})

describe('every name has its place in the pages', () => {
  const unknown = { zzzzzzzzzz: true } as never
  const handler = (): string => ''

  it.each<[string, () => unknown]>([
    ['docs/router.md', () => new McpRouter(unknown)],
    ['docs/mounting.md', () => mcp(new McpRouter(), unknown)],
    ['docs/definitions.md', () => tool({ ...(unknown as object), handler })],
    ['docs/definitions.md', () => resource('a://{b}', { ...(unknown as object), handler })],
    ['docs/definitions.md', () => prompt({ ...(unknown as object), handler })],
  ])('%s: the options', async (path, use) => {
    const known = /known are (.*)$/.exec(messageOf(use))?.[1]?.match(/\w+/g) ?? []
    expect(known.length).toBeGreaterThan(10)
    const text = await textOf(path)
    expect(known.filter((name) => !text.includes(`\`${name}`))).toEqual([])
  })

  it('docs/router.md: what mcp-router/adapter exports', async () => {
    const text = await textOf('docs/router.md')
    expect(Object.keys(adapter).filter((name) => !text.includes(`\`${name}`))).toEqual([])
  })

  it('docs/context.md: what `ctx` has', async () => {
    const router = new McpRouter()
    let names: string[] = []
    router.tool('t', {
      description: 'd',
      handler(_, ctx) {
        const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(ctx))
        names = [...Object.keys(ctx), ...methods].filter((name) => !['auth', 'constructor'].includes(name))
      },
    })
    await router.call('t')
    const text = await textOf('docs/context.md')
    expect(names).toContain('progress')
    expect(names.filter((name) => !text.includes(`| \`${name}`))).toEqual([])
  })
})

function messageOf(use: () => unknown): string {
  try {
    use()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing was thrown'
}

/** As GitHub makes them. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  )
}

describe('README.md', () => {
  let url: string
  const as = (user: string) => ({ headers: { Authorization: `Bearer ${user}` } })
  const call = async (user: string, name: string, args: object = {}) =>
    (await modern(url, 'tools/call', { name, arguments: args }, as(user))).messages[0].result

  beforeAll(async () => {
    await load(readme)
    url = `${await listen(app)}/mcp`
  })

  it('is under 300 lines and links to every page', async () => {
    const text = await textOf(readme.path)
    expect(text.split('\n').length).toBeLessThan(300)
    for (const { path } of pages) if (path !== readme.path) expect(text).toContain(`](${path})`)
  })

  it('lists everything it defines', async () => {
    const { messages } = await modern(url, 'tools/list', {}, as('ana'))
    expect(messages[0].result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'task_list',
      'task_count',
      'billing_invoice_list',
      'task_rename',
      'user_ban',
      'task_get',
    ])
  })

  it('lets nobody in without a login', async () => {
    expect((await modern(url, 'tools/list')).status).toBe(401)
  })

  it('shows each user their own tasks', async () => {
    expect((await call('ana', 'task_list')).content[0].text).toContain('Water the plants')
    expect((await call('ana', 'task_list')).content[0].text).not.toContain('Call the bank')
    expect((await call('ben', 'task_list')).content[0].text).toContain('Call the bank')
    expect((await call('ben', 'task_count')).structuredContent).toEqual({ open: 0, done: 1 })
    expect(timings.names).toContain('task_list')
    const read = async (user: string) =>
      (await modern(url, 'resources/read', { uri: 'task://1' }, as(user))).messages[0]
    expect((await read('ana')).result.contents[0].text).toBe('# Water the plants')
    expect((await read('ben')).error.message).toMatch(/not found/i)
  })

  it('has a route of the app as a tool, for the same users', async () => {
    expect((await call('ana', 'task_get', { id: '1' })).content[0].text).toContain('Water the plants')
    expect(await call('ben', 'task_get', { id: '1' })).toMatchObject({
      isError: true,
      content: [{ text: '404 Not Found: There is no such task' }],
    })
  })

  it('speaks every revision at the one endpoint', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const headers = { Authorization: 'Bearer ana', 'MCP-Protocol-Version': version }
      const { messages } = await legacy(url, 'tools/call', { name: 'task_list' }, { headers })
      expect(messages[0].result.content[0].text).toContain('Water the plants')
    }
    expect(await initialize(url, { Authorization: 'Bearer ana' })).not.toBe('')
  })

  it('says of a missing task what the model should read', async () => {
    const { isError, content } = await call('ana', 'task_rename', { id: '2', title: 'x' })
    expect([isError, content[0].text]).toEqual([true, 'There is no task 2'])
  })

  it('refuses through the middleware of the app', async () => {
    expect(await call('ben', 'user_ban', { id: '1' })).toMatchObject({
      isError: true,
      content: [{ text: '403 Forbidden: You need the role admin' }],
    })
    expect(await call('ana', 'user_ban', { id: '1' })).toMatchObject({ content: [{ text: 'banned 1' }] })
  })
})
