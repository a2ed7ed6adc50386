/** The same books for AI clients, always as the signed-in user. */
import { McpRouter } from 'mcp-router'
import { guard } from 'mcp-router/koa'
import { z } from 'zod'
import type { Shelf } from './books.js'
import { requireOwner } from './routes.js'
import type { User } from './users.js'

declare module 'mcp-router' {
  interface Register {
    user: User
    shelf: Shelf
  }
}

const silent = { info() {}, warn() {}, error() {} }

export const router = new McpRouter({
  name: 'book-api',
  version: '1.0.0',
  requireUser: true,
  ...(process.env.LOG_LEVEL === 'silent' && { logger: silent }),
})

router.tool('book_list', {
  description: 'List my books, and who has them.',
  annotations: { readOnly: true },
  handler: (_input, ctx) => ctx.shelf.list(ctx.user.sub),
})

router.tool('book_add', {
  description: 'Put a book on my shelf.',
  input: z.object({ title: z.string().min(1) }),
  annotations: { destructive: false },
  use: [guard(requireOwner)],
  handler: ({ title }, ctx) => ctx.shelf.add(ctx.user.sub, title),
})

router.tool('book_lend', {
  description: 'Note that one of my books is lent to somebody.',
  input: z.object({ id: z.number().int(), lentTo: z.string().min(1) }),
  use: [guard(requireOwner)],
  handler: ({ id, lentTo }, ctx) => ctx.shelf.lend(ctx.user.sub, id, lentTo),
})
