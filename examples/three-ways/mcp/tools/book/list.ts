import { tool } from 'mcp-router'
import { z } from 'zod'
import { Book } from '../../../books.js'

export default tool({
  description: 'Lists books by a word in their titles.',
  input: z.object({ word: z.string().optional() }),
  output: z.object({ books: z.array(Book) }),
  annotations: { readOnly: true },
  handler: ({ word }, ctx) => ({ books: ctx.shelf.list(word) }),
})
