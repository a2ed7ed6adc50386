/** A shelf of books per user, in memory. Both the routes and the tools use it. */
import createError from 'http-errors'

export interface Book {
  id: number
  title: string
  lentTo?: string
}

export interface Shelf {
  list(owner: string): Book[]
  add(owner: string, title: string): Book
  lend(owner: string, id: number, lentTo: string): Book
}

export function createShelf(): Shelf {
  const shelves = new Map<string, Book[]>()
  let last = 0

  const list = (owner: string): Book[] => shelves.get(owner) ?? []
  return {
    list,
    add(owner, title) {
      last += 1
      const book = { id: last, title }
      shelves.set(owner, [...list(owner), book])
      return book
    },
    lend(owner, id, lentTo) {
      const book = list(owner).find((one) => one.id === id)
      if (book === undefined) throw createError(404, 'No such book')
      if (book.lentTo !== undefined) throw createError(409, `${book.title} is lent to ${book.lentTo}`)
      return Object.assign(book, { lentTo })
    },
  }
}
