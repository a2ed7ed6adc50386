/** The variables of a URI template are read from its literal; a fixed resource has none. */
import { McpRouter, resource } from 'mcp-router'
import { z } from 'zod'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const base = 'task:/' as const

router.resource('task://{id}', { handler: (variables) => is<{ id: string }>()(variables) as undefined })
router.resource('task://{id}', {
  handler({ id }, ctx) {
    is<string>()(id)
    is<string>()(ctx.uri)
    return id
  },
})
router.resource('a://{b,c}/{+path}{?q,limit}', {
  handler: (variables) => {
    is<{ b: string; c: string; path: string; q?: string; limit?: string }>()(variables)
    return ''
  },
})
router.resource(`${base}/{id}`, {
  handler: (variables) => {
    is<{ id: string }>()(variables)
    return ''
  },
})
resource('task://{id}', {
  description: 'One task.',
  mimeType: 'text/markdown',
  complete: { id: (typed, chosen) => [typed, ...Object.keys(chosen.arguments)] },
  list: (ctx) => [{ uri: `task://${String(ctx.user)}`, name: 'mine' }],
  handler: ({ id }) => {
    is<string>()(id)
    return undefined
  },
})

// A schema converts them.
router.resource('task://{id}', {
  input: z.object({ id: z.coerce.number() }),
  complete: { id: async () => ['1'] },
  handler: (variables) => {
    is<{ id: number }>()(variables)
    return new Uint8Array()
  },
})

// Fixed.
router.resource('config://app', { mimeType: 'application/json', text: '{}' })
router.resource('config://logo', { blob: new Uint8Array() })
router.resource('config://now', {
  handler: (variables, ctx) => {
    // biome-ignore lint/complexity/noBannedTypes: a fixed resource has no variables
    is<{}>()(variables)
    return [{ text: ctx.uri }, { uri: 'config://b', blob: 'AAAA', mimeType: 'image/png' }]
  },
})

// A URI that is no literal: either shape.
const uri: string = 'some://thing'
router.resource(uri, { text: 'fixed' })
router.resource(uri, {
  handler: (variables) => {
    is<{ [name: string]: string }>()(variables)
    return variables.id
  },
})

// In a file that gives it its URI.
resource({ text: 'x' })
resource({ handler: ({ id }) => is<string | undefined>()(id) ?? '' })
resource<'notes://{id}'>({
  handler({ id }) {
    is<string>()(id)
    return id
  },
})
resource({
  input: z.object({ id: z.coerce.number() }),
  handler({ id }, ctx) {
    is<number>()(id)
    is<string>()(ctx.uri)
    return String(id)
  },
})
// @ts-expect-error neither text nor a handler
resource({ description: 'd' })
