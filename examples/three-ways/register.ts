/** Declares the type of `ctx` for every file of this program. */
import type { Shelf, User } from './books.js'

declare module 'mcp-router' {
  interface Register {
    user: User | undefined
    shelf: Shelf
  }
}
