/** What docs/command-line.md takes for granted. */

import type { NextFunction, Request, Response } from 'express'

const all = [
  { id: '2', title: 'Buy milk' },
  { id: '1', title: 'Water the plants' },
]

export const tasks = {
  list: () => all,
  find: (wanted: string) => all.find(({ id }) => id === wanted),
}

export function logRequest(_req: Request, _res: Response, next: NextFunction): void {
  next()
}
