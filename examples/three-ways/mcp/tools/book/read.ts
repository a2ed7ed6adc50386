import { tool } from 'mcp-router'
import { z } from 'zod'
import { Book } from '../../../books.js'

export default tool({
  description: 'Notes that I have read a book.',
  input: z.object({ id: z.number().int() }),
  output: Book,
  requireUser: true,
  handler: ({ id }, ctx) => ctx.shelf.markRead(id, ctx.user),
})
