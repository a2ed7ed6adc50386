/** What docs/explorer.md takes for granted: an app, and a login for staff. */

import express, { type RequestHandler } from 'express'

export const app = express()
export const requireStaff: RequestHandler = (_req, res) => void res.status(401).end()
