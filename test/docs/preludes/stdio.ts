/** What docs/stdio.md takes for granted: a database of notes. */
import type { User } from './user.js'

export type { User }

export interface Db {
  notesOf(user: string): string[]
  close(): Promise<void>
}

export const sharedDb: Db = {
  notesOf: (user) => [`a note of ${user === 'local' ? user : 'whoever started this'}`],
  close: async () => console.error('the database is closed'),
}

export const openDb = async (): Promise<Db> => sharedDb
