/** The Express versions with different route tables, typed as Express 5. */

import { createRequire } from 'node:module'
import type express from 'express'

export type ExpressModule = typeof express

const load = createRequire(import.meta.url)

export const expresses: readonly {
  readonly name: string
  readonly express: ExpressModule
  readonly major: 4 | 5
}[] = [
  { name: 'Express 4.18', express: load('express418'), major: 4 },
  { name: 'Express 4.22', express: load('express4'), major: 4 },
  { name: 'Express 5 with router 2.0', express: load('express50'), major: 5 },
  { name: 'Express 5 with router 2.2', express: load('express51'), major: 5 },
  { name: 'Express 5 with router 2.3', express: load('express'), major: 5 },
]
