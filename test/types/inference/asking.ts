/** What a question is answered with is typed by its schema. */
import { appTool, McpRouter, type Root } from 'mcp-router'
import * as v from 'valibot'
import { z } from 'zod'
import { is } from '../is.js'

const router = new McpRouter()

router.tool('ask', {
  description: 'd',
  confirm: true,
  task: 'optional',
  async handler(_, ctx) {
    const form = await ctx.elicit({
      message: 'm',
      schema: z.object({ size: z.enum(['s', 'm']), n: z.number().default(1) }),
    })
    if (form.action === 'accept') is<{ size: 's' | 'm'; n: number }>()(form.content)
    else is<undefined>()(form.content)
    const valibot = await ctx.elicit({ message: 'm', schema: v.object({ name: v.string() }) })
    is<{ name: string } | undefined>()(valibot.content)
    const json = await ctx.elicit({
      message: 'm',
      schema: { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] },
    })
    is<{ yes: boolean } | undefined>()(json.content)
    const page = await ctx.elicit({ message: 'm', url: 'https://a.example' })
    is<'accept' | 'decline' | 'cancel'>()(page.action)
    is<Root[]>()(await ctx.roots())
    is<string>()((await ctx.sample({ messages: [], maxTokens: 1 })).model)
    is<{ id: number }>()(await ctx.once('k', () => ({ id: 1 })))
    // @ts-expect-error a form or a page, not both
    await ctx.elicit({ message: 'm', url: 'https://a.example', schema: z.object({}) })
    // @ts-expect-error tokens are a number
    await ctx.sample({ messages: [], maxTokens: '1' })
    return 'x'
  },
})

// @ts-expect-error a task is optional or required
router.tool('task', { description: 'd', task: true, handler: () => 'x' })

router.add(
  appTool('chart', {
    description: 'd',
    input: z.object({ days: z.number() }),
    handler: ({ days }) => is<number>()(days),
    page: { html: async () => '<!doctype html>', permissions: ['camera'], visibility: ['app'] },
  }),
)
router.add(
  appTool('chart', {
    description: 'd',
    handler: () => 'x',
    // @ts-expect-error no such permission
    page: { html: '<!doctype html>', permissions: ['files'] },
  }),
)
