/** The second way: class fields. The property is the name, and the constructor receives the shelf. */
import { McpRouter, prompt, resource, tool } from 'mcp-router'
import { z } from 'zod'
import { Book, type Shelf } from './books.js'
import './register.js'

class BookTools {
  readonly #shelf: Shelf

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  bookList = tool({
    description: 'Lists books by a word in their titles.',
    input: z.object({ word: z.string().optional() }),
    output: z.object({ books: z.array(Book) }),
    annotations: { readOnly: true },
    handler: ({ word }) => ({ books: this.#shelf.list(word) }),
  })

  bookRead = tool({
    description: 'Notes that I have read a book.',
    input: z.object({ id: z.number().int() }),
    output: Book,
    requireUser: true,
    handler: ({ id }, ctx) => this.#shelf.markRead(id, ctx.user),
  })
}

class BookTexts {
  readonly #shelf: Shelf

  constructor(shelf: Shelf) {
    this.#shelf = shelf
  }

  booksId = resource('books://{id}', {
    description: 'One book.',
    mimeType: 'application/json',
    input: z.object({ id: z.coerce.number() }),
    handler: ({ id }) => this.#show(id),
  })

  planReading = prompt({
    description: 'Plans what to read next.',
    input: z.object({ mood: z.string() }),
    handler: ({ mood }) =>
      `I am in the mood for something ${mood}. Which of these shall I read? ${this.#titles().join(', ')}`,
  })

  /** The handler is an arrow function, so that `this` is the instance. The methods that it calls may be of any kind. */
  #show(id: number): string | undefined {
    const book = this.#shelf.find(id)
    return book && JSON.stringify(book)
  }

  #titles(): string[] {
    return this.#shelf.list().map(({ title }) => title)
  }
}

export const byClass = (shelf: Shelf) =>
  new McpRouter({ name: 'shelf', version: '1.0.0' }).add(new BookTools(shelf)).add(new BookTexts(shelf))
