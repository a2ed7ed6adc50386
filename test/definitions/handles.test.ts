import { type McpRouter, tool } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routers } from '../support/routers.js'
import { connect } from '../wire/client.js'

const { make } = routers()
const say = (word: string) => tool({ description: 'd', handler: () => word })
const listed = async (router: McpRouter) => (await connect(router).result('tools/list')).tools
const spoken = async (router: McpRouter, name: string) =>
  (await router.call(name)).content.map((block) => 'text' in block && block.text)

describe('update', () => {
  it('changes some options and takes effect with the next request', async () => {
    const router = make()
    router.add({ a: say('a'), b: say('b') })
    const handle = router.get('tool', 'a')
    handle?.update({ title: 'New', handler: () => 'changed' })
    expect(await listed(router)).toMatchObject([{ name: 'a', title: 'New', description: 'd' }, { name: 'b' }])
    expect(await spoken(router, 'a')).toEqual(['changed'])
    handle?.update({ input: z.object({ n: z.number() }), title: undefined })
    expect((await listed(router))[0]).not.toHaveProperty('title')
    expect((await router.call('a', { n: 'x' })).isError).toBe(true)
  })

  it('rejects what the definition rejects, without changing anything', async () => {
    const router = make()
    const handle = router.tool('a', { description: 'd', handler: () => 'a' })
    expect(() => handle.update({ descripton: 'x' })).toThrow(/did you mean `description`/)
    expect(() => handle.update({ name: 'x' })).toThrow(/name/)
    expect(() => handle.update({ handler: 5 })).toThrow(/handler/)
    expect(() => handle.update({ input: { type: 'array' } })).toThrow(/tool "a"/)
    expect(await spoken(router, 'a')).toEqual(['a'])
  })

  it('shows on the handle', () => {
    const handle = make().tool('a', { title: 'Old', description: 'd', handler: () => 'a' })
    handle.update({ title: 'New' })
    expect(handle.title).toBe('New')
  })

  it('through one handle keeps changes made through another', async () => {
    const router = make()
    const first = router.tool('a', { description: 'd', handler: () => 'a' })
    router.get('tool', 'a')?.update({ title: 'T' })
    first.update({ description: 'changed' })
    expect((await listed(router))[0]).toMatchObject({ title: 'T', description: 'changed' })
  })

  it('of a mounted tool keeps the defaults of its own router', async () => {
    const child = make({ unknownArguments: 'strip', timeoutMs: 0 })
    child.tool('a', { description: 'd', input: z.object({}), handler: () => 'a' })
    const router = make()
    router.use('child', child)
    expect((await router.call('child_a', { more: 1 })).isError).toBeUndefined()
    router.get('tool', 'child_a')?.update({ title: 'T' })
    expect((await router.call('child_a', { more: 1 })).isError).toBeUndefined()
  })
})

describe('remove', () => {
  it('removes a definition once', async () => {
    const router = make()
    const handle = router.tool('a', { description: 'd', handler: () => 'a' })
    router.resource('x://{id}', { handler: () => 'x' })
    expect([handle.remove(), handle.remove()]).toEqual([true, false])
    expect([router.remove('resource', 'x://{id}'), router.remove('resource', 'x://{id}')]).toEqual([
      true,
      false,
    ])
    expect(router.list()).toEqual([])
    await expect(router.call('a')).rejects.toThrow(/there is no tool "a"/)
    expect(() => handle.update({ title: 'x' })).toThrow(/removed/)
  })

  it('frees the name, and the old handle cannot change the new definition', async () => {
    const router = make()
    const old = router.tool('a', { description: 'd', handler: () => 'old' })
    old.remove()
    router.tool('a', { description: 'd', handler: () => 'new' })
    expect(() => old.update({ title: 'x' })).toThrow(/removed/)
    expect(old.remove()).toBe(false)
    expect(await spoken(router, 'a')).toEqual(['new'])
  })
})

describe('a mounted router', () => {
  it('has prefixed tools and prompts, and resources with their own URIs', async () => {
    const billing = make().add({ pay: say('paid') })
    billing.prompt('ask', { description: 'd', handler: () => 'asked' })
    billing.resource('bill://{id}', { handler: ({ id }) => id })
    const router = make()
    expect(router.use('billing', billing)).toBe(router)
    expect(router.list().map(({ uri, name }) => uri ?? name)).toEqual([
      'billing_pay',
      'bill://{id}',
      'billing_ask',
    ])
    expect(await spoken(router, 'billing_pay')).toEqual(['paid'])
    expect((await router.getPrompt('billing_ask')).messages).toHaveLength(1)
    expect((await router.read('bill://7')).contents).toMatchObject([{ text: '7' }])
    await expect(router.call('pay')).rejects.toMatchObject({ code: -32602 })
    expect(await spoken(billing, 'pay')).toEqual(['paid'])
  })

  it('runs its middleware inside that of the outer router', async () => {
    const seen: string[] = []
    const mark = (word: string) => (_: unknown, next: () => Promise<unknown>) => {
      seen.push(word)
      return next()
    }
    const inner = make().use(mark('inner'))
    inner.tool('t', { description: 'd', use: [mark('own')], handler: () => void seen.push('handler') })
    const middle = make().use(mark('middle')).use('in', inner)
    const outer = make().use('mid', middle).use(mark('outer'))
    await outer.call('mid_in_t')
    expect(seen.splice(0)).toEqual(['outer', 'middle', 'inner', 'own', 'handler'])
    await inner.call('t')
    expect(seen).toEqual(['inner', 'own', 'handler'])
  })

  it('shows later additions, changes and removals', async () => {
    const child = make()
    const router = make().use('c', child)
    const handle = child.tool('late', { description: 'd', handler: () => 'late' })
    expect(await spoken(router, 'c_late')).toEqual(['late'])
    handle.update({ title: 'T' })
    expect(await listed(router)).toMatchObject([{ name: 'c_late', title: 'T' }])
    router.get('tool', 'c_late')?.update({ title: 'U' })
    expect(await listed(child)).toMatchObject([{ name: 'late', title: 'U' }])
    expect(router.remove('tool', 'c_late')).toBe(true)
    expect([router.list(), child.list()]).toEqual([[], []])
  })

  it('rejects names and URIs that are taken, whichever router adds them later', () => {
    const child = make().add({ t: say('1') })
    const router = make().add({ c_t: say('2') })
    expect(() => router.use('c', child)).toThrow(/"c_t".*handles\.test\.ts:\d+.*handles\.test\.ts:\d+/)
    const later = make()
    router.use('c', later)
    expect(() => later.tool('t', { handler: () => '' })).toThrow(/"c_t"/)
    router.resource('x://y', { text: '' })
    expect(() => later.resource('x://y', { text: '' })).toThrow(/"x:\/\/y"/)
    later.tool('u', { description: 'd', handler: () => '' })
    expect(() => router.tool('c_u', { handler: () => '' })).toThrow(/"c_u"/)
    expect(router.list().map(({ name }) => name)).toEqual(['c_t', 'c_u', 'y'])
  })

  it('under two prefixes has each tool twice and each URI once', () => {
    const child = make()
    const router = make().use('a', child).use('b', child)
    child.tool('t', { description: 'd', handler: () => '' })
    expect(router.list().map(({ name }) => name)).toEqual(['a_t', 'b_t'])
    expect(() => child.resource('x://y', { text: '' })).toThrow(/"x:\/\/y"/)
  })

  it('never contains itself', () => {
    const [a, b, c] = [make(), make(), make()]
    a.use('b', b)
    b.use('c', c)
    expect(() => a.use('a', a)).toThrow(/itself/)
    expect(() => c.use('a', a)).toThrow(/itself/)
  })

  it('with a prefix that makes tool names invalid is rejected, also for tools added later', () => {
    const child = make()
    child.tool('t', { description: 'd', handler: () => '' })
    expect(() => make().use('not good', child)).toThrow(/tool "not good_t"/)
    const empty = make()
    const router = make().use('prefix', empty)
    expect(() => empty.tool('x'.repeat(125), { description: 'd', handler: () => '' })).toThrow(/128/)
    expect(router.list()).toEqual([])
    expect(() => make().use(5 as never)).toThrow(/use\(\)/)
    expect(() => make().use('p', {} as never)).toThrow(/use\(\)/)
  })

  it('that requires a user still does when it is mounted', async () => {
    const admin = make({ requireUser: true }).add({ wipe: say('wiped') })
    const router = make().use('admin', admin)
    await expect(router.call('admin_wipe')).rejects.toMatchObject({ code: -31001 })
    expect(await router.call('admin_wipe', {}, { user: { id: 1 } } as never)).toMatchObject({
      content: [{ text: 'wiped' }],
    })
  })
})
