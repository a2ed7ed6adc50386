/** Starts the three APIs and checks from outside that their routes are tools for the same users, with the same rules. */
import assert from 'node:assert/strict'
import { call, connect, modes, rest, toolNames } from './check.js'
import { listen } from './listen.js'

process.env.LOG_LEVEL ??= 'silent'
const { createKitchen } = await import('./kitchen.js')
const { createLibrary } = await import('./library.js')
const { createTickets } = await import('./tickets.js')
const closing: (() => Promise<unknown>)[] = []

async function checkLibrary(): Promise<void> {
  const { url, close } = await listen(await createLibrary())
  closing.push(close)
  assert.equal((await rest(`${url}/api/books`, 'no key')).status, 401)
  for (const mode of modes) {
    const [ana, ben] = [await connect(url, mode, 'key-of-ana'), await connect(url, mode, 'key-of-ben')]
    assert.deepEqual(await toolNames(ana), [
      'book_add',
      'book_search',
      'delete_api_books_by_id',
      'get_api_authors',
      'get_api_authors_by_id',
      'get_api_books_by_id',
    ])
    const { body } = await rest(`${url}/api/books?authorId=1`, 'key-of-ana')
    assert.deepEqual(JSON.parse(await call(ana, 'book_search', { authorId: 1 })), body)
    const book = JSON.parse(await call(ana, 'book_add', { title: `Read by ${mode}`, authorId: 2 }))
    assert.deepEqual(JSON.parse(await call(ben, 'get_api_books_by_id', { id: `${book.id}` })), book)
    assert.match(await call(ben, 'delete_api_books_by_id', { id: `${book.id}` }), /^refused: 403 .*only look/)
    await call(ana, 'delete_api_books_by_id', { id: `${book.id}` })
    assert.match(await call(ana, 'get_api_books_by_id', { id: `${book.id}` }), /^refused: 404/)
    assert.match(await call(ana, 'book_add', { title: '' }), /^refused: .*authorId: .*title: /)
    await Promise.all([ana.close(), ben.close()])
  }
  console.log(
    "OK Express: json-server's routes are tools, by pattern and from a document, behind the app's own guards",
  )
}

async function checkTickets(): Promise<void> {
  const app = await createTickets('a secret of the self-check')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  closing.push(() => app.close())
  const [anaKey, benKey] = ['ana', 'ben'].map((sub) => app.jwt.sign({ sub })) as [string, string]
  for (const mode of modes) {
    const [ana, ben] = [await connect(url, mode, anaKey), await connect(url, mode, benKey)]
    assert.deepEqual(await toolNames(ana), ['ticket_close', 'ticket_list', 'ticket_open'])
    const { id } = JSON.parse(await call(ana, 'ticket_open', { title: `Over ${mode}` }))
    assert.deepEqual(
      JSON.parse(await call(ana, 'ticket_list', { state: 'open' })),
      (await rest(`${url}/v1/tickets?state=open`, anaKey)).body,
    )
    assert.equal(await call(ben, 'ticket_list'), '[]')
    assert.match(await call(ben, 'ticket_close', { id }), /^refused: 404 Not Found: You have no ticket/)
    assert.equal(await call(ana, 'ticket_close', { id }), '')
    assert.match(await call(ana, 'ticket_close', { id }), /^refused: 409 Conflict: .* is closed already$/)
    assert.match(await call(ana, 'ticket_open', { title: 'x' }), /^refused: .*title/)
    await Promise.all([ana.close(), ben.close()])
  }
  console.log(
    'OK Fastify: marked routes are tools with the schemas of the routes, and nobody sees the tickets of others',
  )
}

async function checkKitchen(): Promise<void> {
  const { url, close } = await listen(createKitchen().callback())
  closing.push(close)
  for (const mode of modes) {
    const ben = await connect(url, mode, 'key-of-ben')
    assert.deepEqual(await toolNames(ben), ['order_add', 'order_list'])
    const order = JSON.parse(await call(ben, 'order_add', { table: 4, dish: 'soup' }))
    assert.deepEqual(order, { dish: 'soup', servings: 1, table: 4, by: 'ben', assisted: true })
    assert.match(
      await call(ben, 'order_add', { table: 4, dish: 'soup', servings: 40 }),
      /^refused: .*servings/,
    )
    await ben.close()
  }
  const body = JSON.stringify({ dish: 'tea' })
  const { body: direct } = await rest(`${url}/kitchen/tables/4/orders`, 'key-of-ana', {
    method: 'POST',
    body,
  })
  assert.deepEqual(direct, { dish: 'tea', servings: 1, table: 4, by: 'ana', assisted: false })
  console.log('OK Koa: the schemas of the validators are those of the tools, and routes know who asks')
}

try {
  await checkLibrary()
  await checkTickets()
  await checkKitchen()
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await Promise.all(closing.map((close) => close()))
}
