/** What docs/logins.md takes for granted: people with passwords and API keys. */

import type { User } from './user.js'

export type { User }

export const secret = 'a secret that only this page knows'
export const sessionKey: Buffer = Buffer.alloc(32, 7)
export const passwords: Readonly<Record<string, string>> = { ana: 'correct horse', ben: 'battery staple' }

const find = (id: unknown): User | undefined =>
  typeof id === 'string' && Object.hasOwn(passwords, id) ? { id } : undefined

export const users = {
  find,
  check: (name: string, password: string): User | undefined =>
    passwords[name] === password ? find(name) : undefined,
  withKey: (key: unknown): User | undefined => find(String(key).replace(/^key-of-/, '')),
}
