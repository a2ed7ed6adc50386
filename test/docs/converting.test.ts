/** What docs/converting.md promises. */

import type { McpRouter } from 'mcp-router'
import { testClient, textOf } from 'mcp-router/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, listen, modern } from './client.js'
import { app, books } from './preludes/converting.js'
import { convertingPage, load } from './programs.js'

const ana = { headers: { Authorization: 'Bearer ana' } }

describe('the page', () => {
  let url: string
  let router: McpRouter
  const call = async (name: string, args: Json = {}) =>
    (await modern(url, 'tools/call', { name, arguments: args }, ana)).messages[0]

  beforeAll(async () => {
    router = (await load<{ router: McpRouter }>(convertingPage)).router
    url = `${await listen(app)}/mcp`
  }, 60_000)

  it('makes tools of what it chose and marked, behind the login', async () => {
    expect((await modern(url, 'tools/list')).status).toBe(401)
    const { messages } = await modern(url, 'tools/list', {}, ana)
    expect(messages[0].result.tools.map(({ name }: { name: string }) => name).sort()).toEqual([
      'book_add',
      'book_remove',
      'get_books',
      'get_books_by_id',
    ])
  })

  it('reads, tells what is not there, and adds', async () => {
    expect((await call('get_books_by_id', { id: '1' })).result.content[0].text).toContain('Emma')
    expect((await call('get_books_by_id', { id: '9' })).result).toMatchObject({
      isError: true,
      content: [{ text: '404 Not Found: There is no such book' }],
    })
    expect((await call('book_add', { title: '' })).result.isError).toBe(true)
    expect((await call('book_add', { title: 'Middlemarch' })).result.content[0].text).toContain('Middlemarch')
    expect((await call('get_books')).result.content[0].text).toContain('Middlemarch')
  })

  it('removes nothing that the user did not confirm', async () => {
    expect((await call('book_remove', { id: '1' })).error.code).toBe(-32021)
    const headers = { authorization: 'Bearer ana' }
    const client = (action: 'accept' | 'decline') =>
      testClient(router, {
        user: { id: 'ana' },
        request: { headers },
        elicit: () => (action === 'accept' ? { action, content: {} } : { action }),
      })
    await client('decline').callTool('book_remove', { id: '1' })
    expect(books.has('1')).toBe(true)
    expect(textOf(await client('accept').callTool('book_remove', { id: '1' }))).toBe('')
    expect(books.has('1')).toBe(false)
  })

  it('shows what is there, and what is no tool', () => {
    const routes = router.list({ app }).filter(({ route }) => route !== undefined)
    expect(routes.map(({ route }) => [`${route?.method} ${route?.path}`, route?.tool])).toContainEqual([
      'DELETE /books/{id}',
      'book_remove',
    ])
  })
})
