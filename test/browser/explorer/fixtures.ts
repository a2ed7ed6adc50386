/** A server with something of everything, for people to try. */

import { image, McpRouter, ToolError, text } from 'mcp-router'
import { z } from 'zod'
import { latch } from '../../contract/fixtures.js'
import { quiet } from '../../contract/host.js'

/** One blue pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export function demo() {
  const router = new McpRouter<object>({
    name: 'demo',
    version: '1.2.3',
    instructions: 'Try it.',
    logger: quiet,
  })
  const running = latch<AbortSignal>()
  const release = latch()

  router.tool('task_add', {
    description: 'Adds a task.',
    input: z.object({
      title: z.string().min(3).describe('What is to be done'),
      kind: z.enum(['bug', 'chore']).default('chore'),
      points: z.number().int().max(13).optional(),
      tags: z.array(z.string()).optional(),
      due: z.date().optional(),
      owner: z.object({ name: z.string(), isTeam: z.boolean() }).optional(),
      ref: z.union([z.string(), z.object({ id: z.number() })]).optional(),
    }),
    handler: (input) => input,
  })
  router.tool('task_list', {
    description: 'Lists tasks.',
    annotations: { readOnly: true },
    output: z.object({ tasks: z.array(z.object({ id: z.number(), title: z.string() })) }),
    handler: () => ({
      tasks: [
        { id: 1, title: 'First' },
        { id: 2, title: '<b>Second</b>' },
      ],
    }),
  })
  router.tool('task_drop', {
    description: 'Drops every task.',
    annotations: { destructive: true },
    handler: () => {
      throw new ToolError('There is nothing to drop')
    },
  })
  router.tool('picture', {
    description: 'Draws.',
    handler: () => [text('Here:'), image(Buffer.from(pixel, 'base64'), 'image/png')],
  })
  router.tool('greet', {
    description: 'Asks for a name.',
    async handler(_, ctx) {
      const { action, content } = await ctx.elicit({
        message: 'Who are you?',
        schema: z.object({ name: z.string().min(2) }),
      })
      return action === 'accept' ? `Hello ${(content as { name: string }).name}` : `You chose to ${action}`
    },
  })
  router.tool('wait', {
    description: 'Waits until it is let go.',
    async handler(_, ctx) {
      ctx.progress(3, 10, 'third of ten')
      ctx.log.warning('it takes long')
      running.open(ctx.signal)
      await Promise.race([
        release.opened,
        new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)),
      ])
      return 'let go'
    },
  })
  router.resource('config://app', {
    description: 'Settings.',
    mimeType: 'application/json',
    text: '{"theme":"dark"}',
  })
  router.resource('note://{id}', {
    description: 'One note.',
    mimeType: 'text/markdown',
    complete: { id: (typed) => ['alpha', 'beta'].filter((id) => id.startsWith(typed)) },
    handler: ({ id }) => `# Note ${id}\n\nSome **bold** words.`,
  })
  router.prompt('summarise', {
    description: 'Summarises.',
    input: z.object({ id: z.string().describe('Which one') }),
    handler: ({ id }) => `Summarise ${id}.`,
  })
  return { router, running, release }
}
