import { describe, expect, it } from 'vitest'
import { namesOf, walk } from '../support/pages.js'
import { addTool, routers } from '../support/routers.js'
import { connect, modern, type TestClient } from '../wire/client.js'

const { log, make } = routers({ exposeErrors: false, secret: 'a secret of enough bytes' })

describe('visible', () => {
  const router = make({ pageSize: 2 })
  const visible = ({ user }: { user: unknown }) => user === 'admin'
  for (const name of ['a', 'b']) addTool(router, name)
  router.tool('secret', { description: 'd', visible, handler: () => '' } as never)
  addTool(router, 'c')
  router.resource('s://x', { visible, text: '' } as never)
  router.resource('s://{id}/t', {
    visible,
    handler: () => '',
    complete: { id: () => ['1'] },
    list: () => [{ uri: 's://1/t', name: 'l' }],
  } as never)
  router.prompt('secret', { description: 'd', visible, handler: () => '' } as never)
  const [anyone, admin] = [connect(router), connect(router, modern, { user: 'admin' } as never)]

  it('hides from every list and answers like something that does not exist', async () => {
    expect(namesOf(await walk(anyone))).toEqual(['a', 'b', 'c'])
    expect(namesOf(await walk(admin))).toEqual(['a', 'b', 'secret', 'c'])
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
      expect((await walk(anyone, method)).flat()).toEqual([])
      expect((await walk(admin, method)).flat()).not.toEqual([])
    }
    const argument = { name: 'id', value: '' }
    const ask = async (client: TestClient, hidden: boolean) => [
      await client.error('tools/call', { name: hidden ? 'secret' : 'nothin' }),
      await client.error('prompts/get', { name: hidden ? 'secret' : 'nothin' }),
      await client.error('resources/read', { uri: hidden ? 's://x' : 'n://x' }),
      await client.error('resources/read', { uri: hidden ? 's://7/t' : 'n://7/t' }),
      await client.error('completion/complete', {
        ref: { type: 'ref/resource', uri: hidden ? 's://{id}/t' : 'n://{id}/t' },
        argument,
      }),
    ]
    const text = (errors: unknown[]) =>
      JSON.stringify(errors).replaceAll('secret', 'nothin').replaceAll('s://', 'n://')
    expect(text(await ask(anyone, true))).toBe(text(await ask(anyone, false)))
    expect((await admin.result('tools/call', { name: 'secret' })).content).toHaveLength(1)
  })

  it('makes the list private, on all of its pages, and no other one', async () => {
    const { cacheScope, nextCursor } = await anyone.result('tools/list')
    expect(cacheScope).toBe('private')
    expect((await anyone.result('tools/list', { cursor: nextCursor })).cacheScope).toBe('private')
    const open = make()
    addTool(open, 'a')
    open.resource('l://{id}', { handler: () => '', list: () => [] })
    const client = connect(open)
    expect(await client.result('tools/list')).toMatchObject({ cacheScope: 'public', ttlMs: 300_000 })
    expect(await client.result('server/discover')).toMatchObject({ cacheScope: 'public', ttlMs: 300_000 })
    expect((await client.result('resources/list')).cacheScope).toBe('private')
    expect((await client.result('resources/templates/list')).cacheScope).toBe('public')
    expect(await client.result('resources/read', { uri: 'l://1' })).toMatchObject({
      cacheScope: 'private',
      ttlMs: 0,
    })
    const cache = {
      lists: { ttlMs: 5, scope: 'private' as const },
      reads: { ttlMs: 7, scope: 'public' as const },
    }
    const own = make({ cache })
    own.resource('a://b', { text: '' })
    own.resource('a://c', { text: '', cache: { ttlMs: 9, scope: 'private' } })
    expect(await connect(own).result('resources/list')).toMatchObject({ cacheScope: 'private', ttlMs: 5 })
    expect(await connect(own).result('resources/read', { uri: 'a://b' })).toMatchObject({
      cacheScope: 'public',
      ttlMs: 7,
    })
    expect(await connect(own).result('resources/read', { uri: 'a://c' })).toMatchObject({
      cacheScope: 'private',
      ttlMs: 9,
    })
  })

  it('sees user, auth, request and context only', async () => {
    let seen: object = {}
    const own = make()
    own.tool('t', {
      description: 'd',
      visible: (caller: object) => {
        seen = caller
        return true
      },
      handler: () => '',
    } as never)
    await connect(own, modern, { user: 'ana', context: { db: 1 } } as never).result('tools/list')
    expect(seen).toEqual({ user: 'ana', auth: undefined, request: undefined, db: 1 })
  })

  it('that throws hides its own definition, and is reported', async () => {
    const own = make()
    const throws = () => {
      throw new Error('no user')
    }
    own.tool('broken', { description: 'd', visible: throws, handler: () => '' })
    addTool(own, 'fine')
    expect(namesOf(await walk(connect(own)))).toEqual(['fine'])
    expect((await connect(own).error('tools/call', { name: 'broken' })).message).not.toContain('no user')
    expect(log.at('error').length).toBeGreaterThan(0)
  })
})
