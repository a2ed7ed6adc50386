/** What docs/koa.md takes for granted: an app, the secret of its tokens, and notes. */

import Koa from 'koa'

export interface User {
  sub: string
  role?: string
}

export const secret = 'a secret that only this page knows'
export const app: Koa = new Koa()

const kept: [owner: string, text: string][] = [['ana', 'Buy milk']]

export const notes = {
  of: (owner: string): string[] => kept.filter(([of]) => of === owner).map(([, text]) => text),
  add(owner: string, text: string): string {
    kept.push([owner, text])
    return `added ${text}`
  },
}
