/** What docs/deploying.md takes for granted: an app. */

import express from 'express'

export const app: express.Express = express()
