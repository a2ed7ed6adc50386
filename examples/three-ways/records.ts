/** The first way: a record. The key is the name, and `ctx` contains the shelf. */
import { McpRouter, prompt, resource, tool } from 'mcp-router'
import { z } from 'zod'
import { Book } from './books.js'
import './register.js'

const books = {
  bookList: tool({
    description: 'Lists books by a word in their titles.',
    input: z.object({ word: z.string().optional() }),
    output: z.object({ books: z.array(Book) }),
    annotations: { readOnly: true },
    handler: ({ word }, ctx) => ({ books: ctx.shelf.list(word) }),
  }),

  bookRead: tool({
    description: 'Notes that I have read a book.',
    input: z.object({ id: z.number().int() }),
    output: Book,
    requireUser: true,
    handler: ({ id }, ctx) => ctx.shelf.markRead(id, ctx.user),
  }),

  booksId: resource('books://{id}', {
    description: 'One book.',
    mimeType: 'application/json',
    input: z.object({ id: z.coerce.number() }),
    handler({ id }, ctx) {
      const book = ctx.shelf.find(id)
      return book && JSON.stringify(book)
    },
  }),

  planReading: prompt({
    description: 'Plans what to read next.',
    input: z.object({ mood: z.string() }),
    handler: ({ mood }, ctx) =>
      `I am in the mood for something ${mood}. Which of these shall I read? ${ctx.shelf
        .list()
        .map(({ title }) => title)
        .join(', ')}`,
  }),
}

export const byRecord = new McpRouter({ name: 'shelf', version: '1.0.0' }).add(books)
