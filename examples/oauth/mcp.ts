/** The tools for authorized AI clients. Each user sees the notes of their own organisation. */

import { McpRouter } from 'mcp-router'
import { z } from 'zod'
import { addNote, listNotes } from './notes.js'
import type { User } from './users.js'

declare module 'mcp-router' {
  interface Register {
    /** `undefined` if the account was deleted and the token is still valid. */
    user: User | undefined
  }
}

export const scopes = ['notes:read', 'notes:write'] as const

const Note = z.object({ id: z.int(), author: z.string(), text: z.string() })

export const router = new McpRouter({ name: 'notes', version: '1.0.0' })

router.tool('note_list', {
  description: 'List the notes of my organisation.',
  output: z.object({ notes: z.array(Note) }),
  annotations: { readOnly: true },
  requireUser: true,
  scopes: ['notes:read'],
  handler: (_input, ctx) => ({ notes: [...listNotes(ctx.user.org)] }),
})

router.tool('note_add', {
  description: 'Add a note for my organisation.',
  input: z.object({ text: z.string().min(1).max(1000) }),
  output: Note,
  annotations: { destructive: false },
  requireUser: true,
  scopes: ['notes:read', 'notes:write'],
  handler: ({ text }, ctx) => addNote(ctx.user.org, ctx.user.name, text),
})

router.resource('user://me', {
  name: 'me',
  description: 'Who is signed in, for which organisation, through which client.',
  mimeType: 'application/json',
  handler: (_input, ctx) =>
    JSON.stringify({
      ...ctx.user,
      client: ctx.auth?.clientId,
      tenant: ctx.auth?.tenant,
      scopes: ctx.auth?.scopes,
    }),
})
