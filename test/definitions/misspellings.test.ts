import { McpRouter, prompt, resource, result, tool } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { beforeEach, describe, expect, it } from 'vitest'
import { messageOf } from '../support/message-of.js'
import { routers } from '../support/routers.js'

// Slips in calling the library: the message says what was meant.

const { log, make } = routers({ exposeErrors: false })
const handler = () => ''
let router: McpRouter

beforeEach(() => {
  router = make()
})

describe('a function in the wrong place is never printed as source', () => {
  const misplaced = function misplaced(): string {
    return 'BODY'
  } as never
  const nameless = (
    () => () =>
      'BODY'
  )() as never

  it.each<[string, (fn: never) => unknown]>([
    ['the options of a router', (fn) => new McpRouter(fn)],
    ['the name of a router', (fn) => make({ name: fn })],
    ['a revision', (fn) => make({ protocolVersions: [fn] })],
    ['a secret', (fn) => make({ secret: [fn] })],
    ['a logger', (fn) => make({ logger: fn })],
    ['the options of a tool', (fn) => router.tool('x', fn)],
    ['the name of a tool', (fn) => router.tool(fn, { handler })],
    ['the options of a standalone tool', (fn) => tool(fn)],
    ['`use` of a tool', (fn) => router.tool('x', { handler, use: fn })],
    ['the title of a tool', (fn) => router.tool('x', { handler, title: fn })],
    ['the annotations of a tool', (fn) => router.tool('x', { handler, annotations: fn })],
    ['an annotation of a tool', (fn) => router.tool('x', { handler, annotations: { readOnly: fn } })],
    ['an icon of a tool', (fn) => router.tool('x', { handler, icons: [fn] })],
    ['the input of a tool', (fn) => router.tool('x', { handler, input: fn })],
    ['the output of a tool', (fn) => router.tool('x', { handler, output: fn } as never)],
    ['the URI of a resource', (fn) => router.resource<'a://b'>(fn, { handler })],
    ['the URI of a standalone resource', (fn) => resource<'a://b'>(fn, { text: '' })],
    ['the text of a resource', (fn) => router.resource('a://b', { text: fn })],
    ['the completers of a prompt', (fn) => router.prompt('x', { handler, complete: fn })],
    ['the options of a standalone prompt', (fn) => prompt(fn)],
    ['what is added', (fn) => router.add(fn)],
    ['what is added, in an array', (fn) => router.add([fn])],
    ['the router to mount', (fn) => router.use('x', fn)],
    ['the prefix of a mount', (fn) => router.use([fn] as never, make())],
    ['a kind', (fn) => router.get(fn, 'x')],
    ['changes', (fn) => router.tool('x', { handler }).update(fn)],
    ['a changed title', (fn) => router.tool('x', { handler }).update({ title: fn })],
    ['a block', (fn) => result({ content: [fn] })],
    ['the router of a mount', (fn) => mcp(fn)],
    ['the path of a mount', (fn) => mcp(router, { path: fn })],
  ])('%s', (_, run) => {
    for (const fn of [misplaced, nameless]) {
      const text = messageOf(() => run(fn))
      expect(text).not.toBe('did not throw')
      expect(text).not.toContain('BODY')
      expect(text.length).toBeLessThan(400)
    }
  })

  it('in calls and in what they return', async () => {
    router.tool('t', { description: 'd', handler: () => misplaced })
    const failures = [
      () => router.call(misplaced),
      () => router.call('t', misplaced),
      () => router.read(misplaced),
      () => router.getPrompt(misplaced),
    ]
    for (const failure of failures) await expect(failure).rejects.not.toThrow(/BODY/)
    const returned = await router.call('t')
    expect(returned.isError).toBe(true)
    expect(JSON.stringify(returned)).not.toContain('BODY')
    expect(JSON.stringify(await router.handle(misplaced))).not.toContain('BODY')
    expect(log.entries.map(({ message }) => message).join()).not.toContain('BODY')
  })
})

describe('two names for one definition', () => {
  it('are rejected with both names if they differ', () => {
    expect(messageOf(() => router.tool('a', { name: 'b', handler }))).toMatch(/"a".*"b"/)
    expect(messageOf(() => router.prompt('a', { name: 'b', handler }))).toMatch(/"a".*"b"/)
    expect(router.list()).toEqual([])
  })

  it('are allowed if they are the same', () => {
    router.tool('a', { name: 'a', handler })
    router.prompt('a', { name: 'a', handler })
    router.resource('a://b', { name: 'a', text: '' })
    expect(router.list().map(({ name }) => name)).toEqual(['a', 'a', 'a'])
  })
})

describe('a middleware of Express', () => {
  const three = (_req: unknown, _res: unknown, next: () => unknown) => next()
  const four = (_error: unknown, _req: unknown, _res: unknown, next: () => unknown) => next()

  it.each([
    ['a middleware', three],
    ['an error handler', four],
  ])('in the option `use` is rejected with a hint at guard(): %s', (_, middleware) => {
    const options = { handler, use: [middleware] } as never
    expect(messageOf(() => router.tool('t', options))).toMatch(/`use\b.*guard\(/)
    expect(messageOf(() => router.resource('a://b', options))).toMatch(/`use\b.*guard\(/)
    expect(messageOf(() => prompt(options))).toMatch(/`use\b.*guard\(/)
    expect(router.list()).toEqual([])
  })

  it('is rejected by use() of a router too', () => {
    expect(messageOf(() => router.use(three as never))).toMatch(/^use\(\).*guard\(/)
    expect(messageOf(() => router.use(four as never))).toMatch(/^use\(\).*guard\(/)
  })

  it('is not assumed for middleware with fewer parameters', async () => {
    router.use((_, next) => next()).use(async (...[, next]) => next())
    router.tool('t', { description: 'd', use: [(_call, next) => next()], handler: () => 'x' })
    expect((await router.call('t')).content).toMatchObject([{ text: 'x' }])
  })
})

describe('close()', () => {
  it.each([
    ['an unknown option', { drain: 5 }, /`drain`.*`drainMs`/],
    ['a time that is none', { drainMs: '5s' }, /`drainMs`.*milliseconds/],
    ['a number instead of options', 5, /options/],
  ])('with %s throws, without closing', async (_, options, expected) => {
    router.tool('t', { description: 'd', handler: () => 'x' })
    await expect(async () => router.close(options as never)).rejects.toThrow(expected)
    expect((await router.call('t')).content).toMatchObject([{ text: 'x' }])
  })
})

describe('a kind that does not exist', () => {
  it.each(['get', 'has', 'remove'] as const)(
    'is refused by %s(), which says what kinds there are',
    (method) => {
      for (const kind of ['tools', 'template', undefined])
        expect(messageOf(() => router[method](kind as never, 'a'))).toMatch(/tool.*resource.*prompt/)
    },
  )
})

describe('update()', () => {
  it.each([undefined, null, 5, 'title'])(
    'with %j throws with the expected type, and changes nothing',
    (changes) => {
      const handle = router.tool('t', { title: 'T', description: 'd', handler })
      expect(messageOf(() => handle.update(changes as never))).toMatch(/tool "t".*expected.*object/)
      expect(handle.title).toBe('T')
    },
  )
})

describe('a router without any definition', () => {
  it('reports that the requested definition does not exist', async () => {
    await expect(router.call('a')).rejects.toThrow(/there is no tool "a"/)
    await expect(router.getPrompt('a')).rejects.toThrow(/there is no prompt "a"/)
    await expect(router.read('a://b')).rejects.toThrow(/not found: a:\/\/b/)
  })
})
