/** The notes of every user, in memory. */

export interface Note {
  id: number
  owner: string
  text: string
}

export class Notes {
  readonly #notes: Note[] = []

  add(owner: string, text: string): Note {
    const note = { id: this.#notes.length + 1, owner, text }
    this.#notes.push(note)
    return note
  }

  of(owner: string): Note[] {
    return this.#notes.filter((note) => note.owner === owner)
  }
}
