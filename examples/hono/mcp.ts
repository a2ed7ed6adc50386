/** The tools and resources for AI clients, always as the signed-in user. */

import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import type { Notes } from './notes.js'

declare module 'mcp-router' {
  interface Register {
    user: string
    notes: Notes
  }
}

export const router = new McpRouter({ name: 'notes', version: '1.0.0', requireUser: true })

router.tool('note_list', {
  description: 'List my notes.',
  output: z.object({ notes: z.array(z.object({ id: z.number(), text: z.string() })) }),
  annotations: { readOnly: true },
  handler: (_input, ctx) => ({ notes: ctx.notes.list(ctx.user) }),
})

router.tool('note_add', {
  description: 'Add a note.',
  input: z.object({ text: z.string().min(1) }),
  annotations: { destructive: false },
  handler: ({ text }, ctx) => `Note ${ctx.notes.add(ctx.user, text).id} is added.`,
})

router.tool('note_import', {
  description: 'Add many notes, and report each.',
  input: z.object({ texts: z.array(z.string().min(1)) }),
  annotations: { destructive: false },
  async handler({ texts }, ctx) {
    for (const [index, text] of texts.entries()) {
      ctx.signal.throwIfAborted()
      ctx.notes.add(ctx.user, text)
      ctx.progress(index + 1, texts.length, text)
    }
    return `${texts.length} notes are added.`
  },
})
