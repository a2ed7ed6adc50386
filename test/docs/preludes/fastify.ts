/** What docs/fastify.md takes for granted: an app, the secret of its tokens, and notes. */

import Fastify, { type FastifyInstance } from 'fastify'

export interface User {
  sub: string
  role?: string
}

export const secret = 'a secret that only this page knows'
export const app: FastifyInstance = Fastify()

const kept: [owner: string, text: string][] = [['ana', 'Buy milk']]

export const notes = {
  of: (owner: string): string[] => kept.filter(([of]) => of === owner).map(([, text]) => text),
  add(owner: string, text: string): string {
    kept.push([owner, text])
    return `added ${text}`
  },
}
