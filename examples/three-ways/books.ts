/** A shelf of books, which all three ways of defining tools expose. */
import { NotFoundError } from 'mcp-router'
import { z } from 'zod'

export const Book = z.object({ id: z.number(), title: z.string(), readBy: z.array(z.string()) })
export type Book = z.infer<typeof Book>

export interface User {
  id: string
}

export class Shelf {
  readonly #books: Book[] = []

  constructor(...titles: string[]) {
    for (const title of titles) this.add(title)
  }

  list(word = ''): Book[] {
    return this.#books.filter(({ title }) => title.toLowerCase().includes(word.toLowerCase()))
  }

  find(id: number): Book | undefined {
    return this.#books.find((book) => book.id === id)
  }

  add(title: string): Book {
    const book = { id: this.#books.length + 1, title, readBy: [] }
    this.#books.push(book)
    return book
  }

  markRead(id: number, user: User): Book {
    const book = this.find(id)
    if (book === undefined) throw new NotFoundError(`There is no book ${id}`)
    if (!book.readBy.includes(user.id)) book.readBy.push(user.id)
    return book
  }
}
