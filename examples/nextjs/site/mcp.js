/** The tools for AI clients, always as the signed-in user. */

import { McpRouter } from 'mcp-router'
import { z } from 'zod'

export const router = new McpRouter({ name: 'notes', version: '1.0.0', requireUser: true })

/** The notes by user. A real app has a database. */
const notes = new Map([['ana', ['Water the plants']]])

router.tool('note_list', {
  description: 'List my notes.',
  output: z.object({ notes: z.array(z.string()) }),
  annotations: { readOnly: true },
  handler: (_input, ctx) => ({ notes: notes.get(ctx.user) ?? [] }),
})

router.tool('note_import', {
  description: 'Add notes, and report each.',
  input: z.object({ texts: z.array(z.string().min(1)) }),
  annotations: { destructive: false },
  handler({ texts }, ctx) {
    for (const [index, text] of texts.entries()) {
      notes.set(ctx.user, [...(notes.get(ctx.user) ?? []), text])
      ctx.progress(index + 1, texts.length, text)
    }
    return `${texts.length} notes are added.`
  },
})
