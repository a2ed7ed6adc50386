/** Handlers written inline beside the mount keep the types of their parameters. */
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { is } from '../is.js'

const app = express()
const below = express.Router()
const router = new McpRouter({ name: 'types', version: '1.0.0' })
const named: RequestHandler = (_req, _res, next) => next()

// As they are without us.
app.use('/mcp', (req, res, next) => {
  // biome-ignore lint/complexity/noBannedTypes: the type of a path without parameters
  is<{}>()(req.params)
  is<string>()(req.method)
  is<NextFunction>()(next)
  res.locals.seen = true
  next()
})

app.use(
  '/mcp',
  (req, res, next) => {
    // biome-ignore lint/complexity/noBannedTypes: the type of a path without parameters
    is<{}>()(req.params)
    is<string>()(req.method)
    is<NextFunction>()(next)
    res.locals.seen = true
    next()
  },
  mcp(router),
)
app.use((req, res, next) => {
  is<string | undefined>()(req.ip)
  is<NextFunction>()(next)
  res.locals.seen = true
  next()
}, mcp(router))
app.use(
  named,
  async (req, _res, next) => {
    is<string>()(req.method)
    next()
  },
  mcp(router),
)
app.post(
  '/x/mcp',
  (req, _res, next) => {
    // biome-ignore lint/complexity/noBannedTypes: the type of a path without parameters
    is<{}>()(req.params)
    is<NextFunction>()(next)
    next()
  },
  mcp(router),
)
app.all(
  '/:tenant/mcp',
  (req, res, next) => {
    is<string>()(req.params.tenant)
    is<NextFunction>()(next)
    res.locals.tenant = req.params.tenant
    next()
  },
  mcp(router),
)
below.use(
  '/mcp',
  (req, _res, next) => {
    is<string>()(req.method)
    next()
  },
  mcp(router),
)
app.use('/mcp', mcp(router), (req, res) => {
  is<string>()(req.method)
  res.status(404).end()
})

// The pair as two arguments.
app.use(
  '/mcp',
  (req, res, next) => {
    // biome-ignore lint/complexity/noBannedTypes: the type of a path without parameters
    is<{}>()(req.params)
    is<NextFunction>()(next)
    res.locals.seen = true
    next()
  },
  ...mcp(router),
)
app.post(
  '/:tenant/mcp',
  (req, _res, next) => {
    is<string>()(req.params.tenant)
    is<NextFunction>()(next)
    next()
  },
  ...mcp(router),
)
app.use(...mcp(router))

// And it stays a pair of handlers.
const [serve, refuse] = mcp(router)
app.use((req: Request, res: Response, next: NextFunction) => serve(req, res, next))
app.use((error: unknown, req: Request, res: Response, next: NextFunction) => refuse(error, req, res, next))
