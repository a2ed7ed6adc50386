import { type Handle, type McpRouter, prompt, resource, tool } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { later } from '../support/later.js'
import { messageOf } from '../support/message-of.js'
import { routers, toolNames } from '../support/routers.js'

const { make } = routers()
const say = (word: string) => tool({ description: 'd', handler: () => word })
let router: McpRouter

beforeEach(() => {
  router = make()
})

describe('add', () => {
  it('accepts an object, whose keys are the names unless a definition has its own', async () => {
    router.add({ one: say('1'), two: tool({ name: 'zwei', description: 'd', handler: () => '2' }), other: 5 })
    expect(await toolNames(router)).toEqual(['one', 'zwei'])
    expect(await router.call('zwei')).toEqual({ content: [{ type: 'text', text: '2' }] })
  })

  it('accepts the exports of a module, where a default export needs its own name', async () => {
    const module = Object.freeze({
      [Symbol.toStringTag]: 'Module',
      default: tool({ name: 'main', description: 'd', handler: () => '1' }),
      side: say('2'),
      helper: () => {},
    })
    router.add(module)
    expect(await toolNames(router)).toEqual(['main', 'side'])
    expect(messageOf(() => router.add({ default: say('x') }))).toMatch(
      /tool has no name .*definitions\.test\.ts/,
    )
  })

  it('accepts the fields of a class instance, and arrow handlers keep its `this`', async () => {
    class Tasks {
      readonly #store = 'stored'
      readonly read = tool({ description: 'd', handler: () => this.#store })
      readonly config = resource('config://app', { text: 'x' })
      readonly ask = prompt({ description: 'd', handler: () => 'x' })
      helper(): string {
        return this.#store
      }
    }
    router.add(new Tasks())
    expect(await router.call('read')).toEqual({ content: [{ type: 'text', text: 'stored' }] })
    expect(router.list().map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'tool read',
      'resource config',
      'prompt ask',
    ])
  })

  it('accepts one definition, or an array of named ones', async () => {
    router.add(tool({ name: 'a', description: 'd', handler: () => 'a' }))
    router.add([tool({ name: 'b', description: 'd', handler: () => 'b' }), resource('x://y', { text: '' })])
    expect(await toolNames(router)).toEqual(['a', 'b'])
    expect(messageOf(() => router.add([say('c')]))).toMatch(/tool has no name/)
    expect(messageOf(() => router.add({ d: resource({ text: '' }) }))).toMatch(
      /resource has no URI .*definitions\.test\.ts.*resource\(uri, options\)/,
    )
    expect(messageOf(() => resource({ uri: 'x://y', text: '' } as never))).toMatch(/resource\(uri, options\)/)
  })

  it.each([
    ['an empty record', {}],
    ['a record without definitions', { a: 1 }],
    ['undefined', undefined],
    ['null', null],
    ['a text', 'tools'],
  ])('refuses %s', (_, value) => {
    expect(messageOf(() => router.add(value as never))).toMatch(
      /add\(\): expected tool\(\), resource\(\) or prompt\(\)/,
    )
    expect(messageOf(() => router.add(value as never)).length).toBeLessThan(200)
  })

  it('of a promise reports the missing `await`', () => {
    expect(messageOf(() => router.add(import('../support/message-of.js') as never))).toMatch(
      /^add\(\):.*promise.*await/,
    )
    expect(messageOf(() => router.add(Promise.resolve({ one: say('1') }) as never))).toMatch(/await/)
    expect(messageOf(() => router.add(later({ one: say('1') }) as never))).toMatch(/await/)
  })

  it('of a class asks for an instance created with `new`', () => {
    class Tasks {
      readonly one = say('1')
    }
    expect(messageOf(() => router.add(Tasks as never))).toMatch(/^add\(\):.*Tasks.*\bnew\b/)
    expect(router.add(new Tasks()).has('tool', 'one')).toBe(true)
  })

  it('may be called at any time, on any number of routers', async () => {
    const shared = { shared: say('1') }
    const other = make()
    router.add(shared)
    other.add(shared)
    expect(await toolNames(router)).toEqual(['shared'])
    router.add({ late: say('2') })
    expect(await toolNames(router)).toEqual(['shared', 'late'])
    expect(await toolNames(other)).toEqual(['shared'])
  })
})

describe('two definitions with one name or URI', () => {
  it('are refused, naming both places', () => {
    router.tool('same', { description: 'first', handler: () => '1' })
    const text = messageOf(() => router.tool('same', { description: 'second', handler: () => '2' }))
    const places = text.match(/definitions\.test\.ts:\d+/g)
    expect(text).toContain('"same"')
    expect(places).toHaveLength(2)
    expect(places?.[0]).not.toBe(places?.[1])
  })

  it('are rejected in every form, and the first one stays', async () => {
    router.add({ same: say('1'), res: resource('x://{id}', { handler: () => 'x' }) })
    expect(messageOf(() => router.add({ same: say('2') }))).toMatch(
      /definitions\.test\.ts:\d+.*definitions\.test\.ts:\d+/,
    )
    expect(messageOf(() => router.resource('x://{id}', { handler: () => 'y' }))).toMatch(/x:\/\/\{id\}/)
    router.prompt('same', { description: 'd', handler: () => 'a prompt may share the name of a tool' })
    expect(messageOf(() => router.prompt('same', { description: 'd', handler: () => '' }))).toMatch(/"same"/)
    expect((await router.call('same')).content).toEqual([{ type: 'text', text: '1' }])
  })
})

describe('a handle', () => {
  it('describes the definition', () => {
    const handle: Handle = router.tool('t', {
      title: 'T',
      description: 'd',
      input: z.object({ a: z.string() }),
      output: z.object({ b: z.number() }),
      annotations: { readOnly: true, idempotentHint: false },
      handler: () => ({ b: 1 }),
    })
    expect(handle).toMatchObject({
      kind: 'tool',
      name: 't',
      uri: undefined,
      title: 'T',
      description: 'd',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, idempotentHint: false },
    })
    expect(router.resource('a://{b}', { handler: () => '' })).toMatchObject({
      kind: 'resource',
      uri: 'a://{b}',
    })
  })

  it('is found by name or URI, with get, has and list', () => {
    router.tool('t', { description: 'd', handler: () => '' })
    router.resource('a://b', { text: '' })
    router.resource('a://{b}', { handler: () => '' })
    expect(router.get('tool', 't')?.name).toBe('t')
    expect(router.get('resource', 'a://{b}')?.uri).toBe('a://{b}')
    expect(router.get('prompt', 't')).toBeUndefined()
    expect([router.has('resource', 'a://b'), router.has('tool', 'u')]).toEqual([true, false])
    expect(router.list().map(({ uri, name }) => uri ?? name)).toEqual(['t', 'a://b', 'a://{b}'])
  })
})
