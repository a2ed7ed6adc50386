/** Who may call the library and the kitchen: everybody has a key. A real app keeps hashes of them. */

export interface Person {
  readonly name: string
  readonly role: 'staff' | 'reader'
}

const people: Readonly<Record<string, Person>> = {
  'key-of-ana': { name: 'ana', role: 'staff' },
  'key-of-ben': { name: 'ben', role: 'reader' },
}

/** Of `Authorization: Bearer …`; `undefined` is a stranger. */
export function personOf(authorization: string | undefined): Person | undefined {
  const key = authorization?.replace(/^Bearer /, '') ?? ''
  return Object.hasOwn(people, key) ? people[key] : undefined
}
