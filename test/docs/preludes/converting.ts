/** What docs/converting.md takes for granted: an app, its login, and a shelf of books. */

import express, { type RequestHandler } from 'express'

export interface User {
  id: string
}

interface Book {
  id: string
  title: string
  year?: number | undefined
}

export const app: express.Express = express()

export const requireLogin: RequestHandler = (req, res, next) => {
  const [, id] = /^Bearer (\w+)$/.exec(req.headers.authorization ?? '') ?? []
  if (id === undefined) res.status(401).json({ message: 'Who are you?' })
  else {
    Object.assign(req, { user: { id } })
    next()
  }
}

export const books: Map<string, Book> = new Map([['1', { id: '1', title: 'Emma', year: 1815 }]])

export function addBook(book: Omit<Book, 'id'>): Book {
  const added = { ...book, id: String(books.size + 1) }
  books.set(added.id, added)
  return added
}
