/** What a tool handler may return. */
import { audio, embed, image, link, McpRouter, result, text } from 'mcp-router'
import { z } from 'zod'
import { is } from '../is.js'

const router = new McpRouter({ name: 'types', version: '1.0.0' })
const output = z.object({ total: z.number().default(0), when: z.coerce.date() })
const bytes = new Uint8Array()

// Without `output`: everything that becomes content.
router.tool('string', { handler: () => 'text' })
router.tool('number', { handler: () => 1 })
router.tool('object', { handler: async () => ({ any: ['thing'] }) })
router.tool('nothing', { handler: () => {} })
router.tool('null', { handler: () => null })
router.tool('maybe', { handler: (): string | undefined => undefined })
router.tool('block', { handler: () => text('text', { annotations: { priority: 1 } }) })
router.tool('blocks', {
  handler: () => [
    text('a'),
    image(bytes, 'image/png'),
    audio(bytes, 'audio/wav'),
    link('a://b', { name: 'b' }),
    embed('a://c', 'c', 'text/plain'),
  ],
})
router.tool('result', { handler: () => result({ content: [text('a')], meta: { a: 1 } }) })
router.tool('wire', { handler: () => ({ content: [text('a')], isError: true }) })

// With `output`: the side of the schema that goes in, so that defaults and coercions work; or `result()`.
router.tool('all', { output, handler: () => ({ total: 1, when: new Date() }) })
router.tool('default', { output, handler: async () => ({ when: '2026-01-01' }) })
router.tool('own', { output, handler: () => result({ content: 'too many', isError: true }) })
router.tool('either', {
  output,
  handler: (_input, ctx) => (ctx.signal.aborted ? result({ content: 'gone' }) : { when: 0 }),
})
router.tool('both', {
  input: z.object({ page: z.coerce.number() }),
  output: z.array(z.string()),
  handler: ({ page }) => {
    is<number>()(page)
    return ['a']
  },
})
