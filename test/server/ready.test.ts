/** `router.ready()`: what would fail at the first call fails before it. */

import { McpRouter } from 'mcp-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runtime } from '#runtime'

const handWritten = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const

function notes(schemas: object[] = []): McpRouter {
  const router = new McpRouter({ name: 'notes', version: '1.0.0', schemas })
  router.tool('find', { description: 'Finds notes.', input: handWritten, handler: ({ word }) => word })
  router.tool('count', {
    description: 'Counts notes.',
    output: { type: 'object' },
    handler: () => ({ notes: 3 }),
  })
  return router
}

/** Makes this platform one that cannot load packages, for one test. */
function loadNothing(): void {
  const load = vi.spyOn(runtime, 'load').mockImplementation(() => {
    throw new Error('this platform loads nothing')
  })
  onTestFinished(() => void load.mockRestore())
}

it('resolves where everything can be served', async () => {
  await expect(notes().ready()).resolves.toBeUndefined()
})

it('resolves where packages cannot be loaded: hand-written schemas are checked without Ajv', async () => {
  loadNothing()
  const router = notes()
  await expect(router.ready()).resolves.toBeUndefined()
  expect(await router.call('find', {})).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('word: required, but missing') }],
  })
})

it('names each definition that cannot be served', async () => {
  const broken = { type: 'object', allOf: [{ $ref: '#' }] } as const
  for (const prepare of [() => {}, loadNothing]) {
    prepare()
    const router = notes()
    for (const name of ['one', 'two']) {
      router.tool(name, { description: 'Fails.', input: broken, handler: () => '' })
    }
    await expect(router.ready()).rejects.toThrow(
      /tool "one".*lead back to themselves.*tool "two".*lead back to themselves/,
    )
  }
})

it('is content with a validator that the app brings', async () => {
  loadNothing()
  const compile = (schema: object) => (value: unknown) =>
    'required' in schema && (value as { word?: unknown }).word === undefined
      ? { issues: [{ path: ['word'], message: 'is missing' }] }
      : { value }
  const router = notes([{ compile }])
  await expect(router.ready()).resolves.toBeUndefined()
  expect(await router.call('find', {})).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('word: is missing') }],
  })
})
