/** The app's data: notes, each with an owner. */

export interface Note {
  id: number
  text: string
}

export class Notes {
  readonly #notes: (Note & { owner: string })[] = [
    { id: 1, owner: 'ana', text: 'Water the plants' },
    { id: 2, owner: 'ben', text: 'Call the bank' },
  ]

  list(owner: string): Note[] {
    return this.#notes.filter((note) => note.owner === owner).map(({ id, text }) => ({ id, text }))
  }

  add(owner: string, text: string): Note {
    const note = { id: this.#notes.length + 1, text }
    this.#notes.push({ ...note, owner })
    return note
  }
}
