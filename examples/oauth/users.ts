/** The users and their organisations. Each user sees the notes of their organisation. */

export interface User {
  id: string
  name: string
  org: string
}

interface Account extends User {
  password: string
}

/** Passwords for the demonstration. A real server stores hashes. */
export const ana: Account = { id: 'u1', name: 'Ana', org: 'acme', password: 'ana-pass' }
export const ben: Account = { id: 'u2', name: 'Ben', org: 'acme', password: 'ben-pass' }
export const eve: Account = { id: 'u3', name: 'Eve', org: 'globex', password: 'eve-pass' }

const accounts = [ana, ben, eve]

export function findUser(id: string): User | undefined {
  return accounts.find((account) => account.id === id)
}

export function checkPassword(name: string, password: string): User | undefined {
  return accounts.find((account) => account.name === name && account.password === password)
}
