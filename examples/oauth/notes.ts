/** Notes, each of an organisation. */

export interface Note {
  id: number
  author: string
  text: string
}

const notes = new Map<string, Note[]>()

export function listNotes(org: string): readonly Note[] {
  return notes.get(org) ?? []
}

export function addNote(org: string, author: string, text: string): Note {
  const own = [...listNotes(org)]
  const note = { id: own.length + 1, author, text }
  notes.set(org, [...own, note])
  return note
}
