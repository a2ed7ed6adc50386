/** What docs/services.md takes for granted: an app with a login, and two services. */

import express from 'express'
import type { User } from './user.js'

export type { User }

export class Notes {
  readonly #notes: string[] = []

  add(owner: string, text: string): void {
    this.#notes.push(`${owner}: ${text}`)
  }

  count(): number {
    return this.#notes.length
  }
}

/** What transactions did, in order. */
export const steps: string[] = []

export class Transaction {
  readonly #owner: string

  constructor({ user }: { user: User | undefined }) {
    this.#owner = String(user?.id)
  }

  async begin(): Promise<void> {
    steps.push(`${this.#owner} begins`)
  }

  async commit(): Promise<void> {
    steps.push(`${this.#owner} commits`)
  }

  async release(): Promise<void> {
    steps.push(`${this.#owner} releases`)
  }
}

export const app: express.Express = express()
app.use((req, _res, next) => {
  const id = req.header('x-user')
  if (id !== undefined) req.user = { id }
  next()
})
