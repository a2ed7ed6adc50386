/** The same notes for AI clients: tools and a resource, as the user of the app's login. */

import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import type { Note, Notes } from './notes.js'

export interface User {
  sub: string
}

declare module 'mcp-router' {
  interface Register {
    user: User
    notes: Notes
  }
}

const aNote: z.ZodType<Note> = z.object({ id: z.number(), owner: z.string(), text: z.string() })

export function createRouter(): McpRouter {
  const router = new McpRouter({ name: 'notes-api', version: '1.0.0', requireUser: true })
  router.tool('note_add', {
    description: 'Keep a note.',
    input: z.object({ text: z.string().min(1).max(500) }),
    output: aNote,
    requireUser: true,
    handler: ({ text }, { notes, user }) => notes.add(user.sub, text),
  })
  router.tool('note_list', {
    description: 'List your notes, oldest first.',
    output: z.object({ notes: z.array(aNote) }),
    annotations: { readOnly: true },
    requireUser: true,
    handler: (_input, { notes, user }) => ({ notes: notes.of(user.sub) }),
  })
  router.tool('note_import', {
    description: 'Keep several notes, and report each.',
    input: z.object({ texts: z.array(z.string()).max(100) }),
    requireUser: true,
    handler({ texts }, ctx) {
      for (const [index, text] of texts.entries()) {
        ctx.notes.add(ctx.user.sub, text)
        ctx.progress(index + 1, texts.length)
      }
      return `${texts.length} notes kept`
    },
  })
  router.resource('notes://mine', {
    description: 'Your notes as markdown.',
    mimeType: 'text/markdown',
    requireUser: true,
    handler: (_input, { notes, user }) =>
      notes
        .of(user.sub)
        .map(({ text }) => `- ${text}`)
        .join('\n'),
  })
  return router
}
