import fc from 'fast-check'
import type { McpRouter, RouterOptions } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { listMethods, namesOf, walk } from '../support/pages.js'
import { addTool, routers } from '../support/routers.js'
import { connect, modern } from '../wire/client.js'

const { make } = routers({ exposeErrors: false, secret: 'a secret of enough bytes' })

describe('every list', () => {
  it.each(listMethods)('%s comes in pages of pageSize, in the order of definition', async (method) => {
    const router = make({ pageSize: 7 })
    const expected = Array.from({ length: 50 }, (_, i) => `n${i}`)
    for (const name of expected) {
      addTool(router, name)
      router.resource(`${name}://x`, { name, text: '' })
      router.resource(`${name}://{x}`, { name, handler: () => '' })
      router.prompt(name, { description: 'd', handler: () => '' })
    }
    for (const version of [modern, '2025-06-18']) {
      const pages = await walk(connect(router, version), method)
      expect(namesOf(pages)).toEqual(expected)
      expect(pages.map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 7, 7, 1])
    }
  })

  it('has 1,000 items per page by default, and no cursor at the end', async () => {
    const router = make()
    for (let i = 0; i < 1_000; i++) addTool(router, `t${i}`)
    expect(await connect(router).result('tools/list')).not.toHaveProperty('nextCursor')
    addTool(router, 'one_more')
    expect((await walk(connect(router))).map(({ length }) => length)).toEqual([1_000, 1])
  })

  it('is the same for every asking', async () => {
    const router = make({ pageSize: 2 })
    for (const name of ['b', 'a', 'c']) addTool(router, name)
    expect(namesOf(await walk(connect(router)))).toEqual(['b', 'a', 'c'])
    expect(await walk(connect(router))).toEqual(await walk(connect(router)))
  })
})

describe('a cursor', () => {
  const paged = (options: RouterOptions = {}): McpRouter => {
    const router = make({ pageSize: 1, ...options })
    for (const name of ['a', 'b', 'c']) {
      addTool(router, name)
      router.prompt(name, { description: 'd', handler: () => '' })
    }
    return router
  }

  it('that is no cursor of this list is refused with -32602', async () => {
    const client = connect(paged())
    const { nextCursor } = await client.result('tools/list')
    const foreign = (await client.result('prompts/list')).nextCursor
    const changed = nextCursor.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'))
    const other = await connect(paged({ secret: 'another secret of enough bytes' })).result('tools/list')
    for (const cursor of [
      '',
      '1',
      'x'.repeat(100),
      foreign,
      changed,
      `${nextCursor}A`,
      other.nextCursor,
      5,
      null,
      {},
    ])
      expect(await client.error('tools/list', { cursor })).toMatchObject({ code: -32602 })
  })

  it('is opaque, and works on another machine with the same secret', async () => {
    const { nextCursor } = await connect(paged()).result('tools/list')
    expect(Buffer.from(nextCursor, 'base64url').toString('latin1')).not.toMatch(/tool|"a"/)
    expect((await connect(paged()).result('tools/list', { cursor: nextCursor })).tools).toMatchObject([
      { name: 'b' },
    ])
  })

  it('stays right when the item it names was removed and defined anew', async () => {
    const router = paged()
    const pages = await walk(connect(router), 'tools/list', ([item]) => {
      if (item?.name !== 'a' || router.has('tool', 'z')) return
      router.remove('tool', 'a')
      addTool(router, 'z')
      addTool(router, 'a')
    })
    expect(namesOf(pages)).toEqual(expect.arrayContaining(['b', 'c', 'z']))
  })

  it('stays right whatever comes, goes and changes between pages', async () => {
    const change = fc.record({ kind: fc.constantFrom('add', 'remove', 'update'), at: fc.nat(1000) })
    const plan = fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        plan,
        fc.boolean(),
        async (size, pageSize, changes, mounted) => {
          const router = make({ pageSize })
          const child = mounted ? make() : router
          if (mounted) router.use('m', child)
          let next = 0
          const add = () => addTool([router, child][next % 2] as McpRouter, `t${next++}`)
          for (let i = 0; i < size; i++) add()
          const all = () => router.list().map(({ name }) => name)
          const before = all()
          const gone = new Set<string>()
          let round = 0
          const pages = await walk(connect(router), 'tools/list', () => {
            for (const { kind, at } of changes[round++] ?? []) {
              const name = all()[at % Math.max(1, all().length)] ?? ''
              if (kind === 'add') add()
              else if (kind === 'update') router.get('tool', name)?.update({ title: String(at) })
              else if (router.remove('tool', name)) gone.add(name)
            }
          }).catch((error: Error) => {
            if (all().length === 0 && /-32601/.test(error.message)) return undefined // no tools, no capability
            throw error
          })
          if (pages === undefined) return
          const shown = namesOf(pages)
          expect(new Set(shown).size).toBe(shown.length)
          expect(before.filter((name) => !gone.has(name) && !shown.includes(name))).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })
})
