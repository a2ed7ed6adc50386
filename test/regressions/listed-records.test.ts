/** Lists: records of the app lose what a resource does not have, pages end, and callers stay apart. */

import { describe, expect, it } from 'vitest'
import { listMethods, namesOf, walk } from '../support/pages.js'
import { addOneOfEach, routers } from '../support/routers.js'
import { connect, legacyVersions, modern, versions } from '../wire/client.js'

const { make } = routers()

const allowed = ['uri', 'name', 'title', 'description', 'mimeType', 'size', 'icons', 'annotations', '_meta']
const record = {
  uri: 'user://1',
  name: 'Ann',
  title: 'Ann A.',
  description: 'A user',
  mimeType: 'text/plain',
  size: 3,
  icons: [{ src: 'https://example.com/i.png' }],
  annotations: { priority: 1 },
  meta: { 'example.com/note': 1 },
  passwordHash: 'HASH',
  id: 1,
  toJSON: () => ({ uri: 'user://1', name: 'Ann', passwordHash: 'HASH' }),
}

it.each(versions)('sends of what a template lists only what a resource has (%s)', async (version) => {
  class Row {
    readonly uri = 'user://2'
    readonly name = 'Bob'
    readonly passwordHash = 'HASH'
  }
  const router = make()
  router.resource('user://{id}', { list: () => [record, new Row()], handler: () => 'x' })
  const { resources } = await connect(router, version).result('resources/list')
  expect(namesOf([resources])).toEqual(['Ann', 'Bob'])
  expect(resources[0]).toMatchObject({ uri: 'user://1', mimeType: 'text/plain', size: 3 })
  for (const resource of resources) {
    expect(Object.keys(resource).filter((key) => !allowed.includes(key))).toEqual([])
  }
  expect(JSON.stringify(resources)).not.toContain('HASH')
})

describe.each([modern, '2025-11-25'])('pages of %s', (version) => {
  const long = (letter: string) => ({ uri: `a://${letter.repeat(50_000)}`, name: letter })
  const short = (letter: string) => ({ uri: `a://${letter}`, name: letter })

  it.each([
    ['first', [long('a'), short('b'), short('c')]],
    ['in the middle', [short('a'), long('b'), short('c')]],
    ['last', [short('a'), short('b'), long('c')]],
    ['everywhere', [long('a'), long('b'), long('c')]],
  ])('go on after a URI of 50,000 characters %s', async (_, listed) => {
    const router = make({ pageSize: 1 })
    router.resource('a://{+b}', { list: () => listed, handler: () => 'x' })
    const pages = await walk(connect(router, version), 'resources/list')
    expect(pages.map((page) => namesOf([page]))).toEqual([['a'], ['b'], ['c']])
  })
})

describe('a router that requires a user', () => {
  const user = { id: 1 }

  it.each([...listMethods, 'server/discover'])('lets no cache hand %s to others', async (method) => {
    for (const options of [{}, { cache: { lists: { ttlMs: 1_000, scope: 'public' } } } as const]) {
      const router = addOneOfEach(make({ requireUser: true, ...options }))
      router.resource('c://{d}', { handler: () => 'x' })
      const answer = await connect(router, modern, { user }).result(method)
      expect(answer.cacheScope).toBe('private')
      expect(answer.ttlMs).toBeGreaterThan(0)
    }
  })

  it('is the only one whose lists are private', async () => {
    const router = addOneOfEach(make())
    for (const method of [...listMethods, 'server/discover']) {
      expect((await connect(router).result(method)).cacheScope).toBe('public')
    }
  })

  it.each(legacyVersions)('says nothing of caches to %s', async (version) => {
    const router = addOneOfEach(make({ requireUser: true }))
    const answer = await connect(router, version, { user }).result('tools/list')
    expect(Object.keys(answer)).toEqual(['tools'])
  })
})
