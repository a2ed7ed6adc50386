/** What docs/testing.md takes for granted. */

export interface User {
  id: string
  role?: string
}

export class Notes {
  readonly #notes: { owner: string; text: string }[] = []

  add(owner: string, text: string): number {
    return this.#notes.push({ owner, text })
  }

  purge(): number {
    return this.#notes.splice(0).length
  }
}
