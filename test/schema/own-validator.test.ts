/** The option `schemas: [{ compile }]`: valid results of an app's own validator, and rejection of all others. */
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { type AjvInstance, asSupport, type SchemaSupport } from '../../src/schema/index.js'
import { input, outcome } from './support.js'

describe('a validator of the app', () => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const
  const brought = (...support: (SchemaSupport | AjvInstance)[]) =>
    input(schema, { support: support.map(asSupport) })
  const refusal = 'id: required, but missing'

  it.each([
    ['an Ajv instance', () => [new Ajv({ strict: false })]],
    ['an Ajv instance of 2020-12', () => [new Ajv2020.default({ allErrors: true, verbose: true })]],
    ["Ajv's function", () => [{ compile: (one: object) => new Ajv().compile(one) }]],
    ["Ajv's method", () => [{ compile: new Ajv().compile.bind(new Ajv()) as never }]],
    ['a function that Ajv wrote into a file', () => [{ compile: () => standalone() }]],
  ])('may be %s', (_, support) => {
    const compiled = brought(...support())
    expect(outcome(compiled, { id: 1 })).toEqual({ id: 1 })
    expect(outcome(compiled, {})).toBe(refusal)
    expect(outcome(compiled, { id: 'x' })).toMatch(/^id: (expected integer, got "x"|must be integer)$/)
    expect(outcome(compiled, { id: 2 })).toEqual({ id: 2 })
  })

  it.each<[string, unknown]>([
    ['true', true],
    ['false', false],
    ['nothing', undefined],
    ['null', null],
    ['text', 'ok'],
    ['an empty object', {}],
    ['an array', []],
    ['another shape', { valid: true }],
    ['issues that are no list', { issues: true }],
    ['a value beside issues that are no list', { value: {}, issues: 'wrong' }],
    ['a promise', Promise.resolve({ value: {} })],
  ])('rejects every value if it returns %s', (_, result) => {
    const compiled = brought({ compile: () => () => result })
    expect(() => compiled.check({ id: 1 })).toThrow(
      /^tool "t": expected the validator of `schemas` to return \{ value \} or \{ issues \}, got /,
    )
  })

  it.each<[string, () => unknown]>([
    ['the validator', () => async () => Promise.reject(new Error('the database is down'))],
    ['`compile`', async () => Promise.reject(new Error('the file is gone'))],
  ])('accepts no promise from %s, and handles its rejection', async (_, compile) => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', listen)
    expect(() => brought({ compile: compile as never }).check({ id: 1 })).toThrow(
      /^tool "t": .*got an object/,
    )
    await new Promise((resolve) => setImmediate(resolve)) // unhandled rejections are told of after microtasks
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })

  it('keeps a schema that the app added to its Ajv instance', () => {
    const ajv = new Ajv({ strict: false })
    ajv.addSchema({ $id: 'https://app/task', type: 'object', properties: { id: { type: 'integer' } } })
    const same = { $id: 'https://app/task', ...schema }
    expect(() => input(same as never, { support: [asSupport(ajv)] }).check({ id: 1 })).toThrow(
      /already exists/,
    )
    expect(ajv.getSchema('https://app/task')?.({ id: 'x' })).toBe(false)
  })

  it.each<[string, unknown]>([
    ['true with errors left', Object.assign(() => true, { errors: [{}] })],
    ['true without a word of errors', Object.assign(() => true, {})],
    ['false without errors', Object.assign(() => false, { errors: null })],
  ])('does not accept %s, which Ajv does not use', (_, validate) => {
    expect(() => brought({ compile: () => validate as () => unknown }).check({})).toThrow(
      /expected the validator/,
    )
  })

  it('throws with the name of the definition if it does not compile to a function', () => {
    expect(() => brought({ compile: () => true as never }).check({})).toThrow(
      /^tool "t": its JSON Schema cannot be compiled: expected `compile` in `schemas` to return a function, got true/,
    )
  })

  it('may return issues without a path, and an empty list', () => {
    const refusing = (issues: unknown[]) => brought({ compile: () => () => ({ issues }) })
    expect(outcome(refusing([{ message: 'not today' }]), {})).toBe('not today')
    expect(outcome(refusing([{ path: [{ key: 'id' }], message: 'no' }, 5]), {})).toBe('id: no; is not valid')
    expect(refusing([]).check({})).toEqual({ issues: [] })
  })

  /** As `ajv compile` writes it. */
  function standalone(): () => unknown {
    const ajv = new Ajv({ code: { source: true } })
    const code = standaloneCode.default(ajv, ajv.compile(schema))
    const module: { exports: unknown } = { exports: {} }
    new Function('module', 'exports', 'require', code)(module, module.exports, createRequire(import.meta.url))
    return module.exports as () => unknown
  }
})

describe('the router option `schemas`', () => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const
  const routerWith = (...schemas: (SchemaSupport | AjvInstance)[]): McpRouter => {
    const router = new McpRouter({ name: 'tasks', version: '1.0.0', schemas, logger: false })
    router.tool('find', { description: 'Finds one.', input: schema, handler: ({ id }) => `task ${id}` })
    return router
  }

  it('accepts an Ajv instance', async () => {
    const router = routerWith(new Ajv())
    expect(await router.call('find', { id: 1 })).toMatchObject({ content: [{ text: 'task 1' }] })
    expect(await router.call('find', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('id: required, but missing') }],
    })
  })

  it('never calls a handler after an unknown result, and writes the reason only to the log', async () => {
    const router = routerWith({ compile: () => () => true })
    const { isError, content } = await router.call('find', { id: 1 }).catch(({ message }) => ({
      isError: true,
      content: [{ text: message }],
    }))
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).not.toContain('task 1')
  })

  it('rejects other values', () => {
    expect(() => routerWith({ validate: () => true } as never)).toThrow(/schemas.*`validate`/s)
  })
})
