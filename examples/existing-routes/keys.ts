/** The API keys of the users of the library and the kitchen. A real app stores hashes of keys. */

export interface Person {
  readonly name: string
  readonly role: 'staff' | 'reader'
}

const people: Readonly<Record<string, Person>> = {
  'key-of-ana': { name: 'ana', role: 'staff' },
  'key-of-ben': { name: 'ben', role: 'reader' },
}

/** Returns the user of `Authorization: Bearer …`, or `undefined` for an unknown key. */
export function personOf(authorization: string | undefined): Person | undefined {
  const key = authorization?.replace(/^Bearer /, '') ?? ''
  return Object.hasOwn(people, key) ? people[key] : undefined
}
