/** The app of the route tests in Express. */

import { type NextFunction, type Request, type RequestHandler, type Response, raw } from 'express'
import createError from 'http-errors'
import { asTool, isToolCall, mcp } from 'mcp-router/express'
import multer from 'multer'
import { type ExpressModule, listen } from '../express/host.js'
import type { Answered, ApiRoute, Asked, RouteHost } from './host.js'
import { callerOf, requestStore } from './login.js'

const upload = multer({ limits: { fileSize: 1_000 } })

export function expressRouteHost(name: string, express: ExpressModule): RouteHost {
  return {
    name,
    async start({ router, options, routes, parseQuery }) {
      const app = express()
      // Pages with stacks are for whoever develops the app, and must not come through even then.
      app.set('env', 'development')
      if (parseQuery !== undefined) app.set('query parser', parseQuery)
      app.use((req, _res, next) => {
        const user = callerOf(req.headers.authorization)
        Object.assign(req, { user })
        requestStore.run(user, next)
      })
      app.use('/mcp', mcp(router, options as object))
      app.use(express.json())
      const api = express.Router()
      app.use(api)
      const add = (route: ApiRoute): void => void api[route.method](route.path, ...chainOf(route))
      for (const route of routes) add(route)
      app.use(quietly)
      return { ...(await listen(app)), listener: app, add }
    },
  }
}

/** Express prints errors to the console in the environment of development, and these are wanted. */
function quietly(error: unknown, _req: Request, res: Response, next: NextFunction): void {
  if (res.headersSent) {
    next(error)
    return
  }
  const { stack = '', status: known = 500 } = error as Error & { status?: number }
  const status = error instanceof multer.MulterError ? 413 : known
  res.status(status).type('html').send(`<html><body><pre>${stack}</pre></body></html>`)
}

function chainOf({ marker, uploads, guarded, run }: ApiRoute): RequestHandler[] {
  return [
    ...(guarded === true ? [requireLogin] : []),
    ...(marker === undefined ? [] : [asTool(marker)]),
    ...(uploads === 'form' ? [upload.any()] : []),
    ...(uploads === 'bytes' ? [raw({ type: 'application/octet-stream' })] : []),
    // Rejections of async handlers are lost in Express 4.
    (req, res, next) => void serve(run, req, res).catch(next),
  ]
}

function requireLogin(req: Request, _res: Response, next: NextFunction): void {
  next(asked(req).user === undefined ? createError(401, 'Log in first') : undefined)
}

async function serve(run: ApiRoute['run'], req: Request, res: Response): Promise<void> {
  const left = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) left.abort()
  })
  const {
    status = 200,
    headers = {},
    body,
    pieces,
  }: Answered = await run({ ...asked(req), left: left.signal })
  res.status(status).set(headers)
  if (pieces !== undefined) {
    for await (const piece of pieces) res.write(piece)
    res.end()
  } else if (body === undefined) res.end()
  else if (typeof body === 'string' || Buffer.isBuffer(body)) res.send(body)
  else res.json(body)
}

function asked(req: Request): Omit<Asked, 'left'> {
  const { user, params, query, body, files = [] } = req as Request & { user?: Asked['user'] }
  return {
    user,
    params: params as Asked['params'],
    query,
    body,
    files: (files as Express.Multer.File[]).map(({ fieldname, originalname, mimetype, buffer }) => ({
      field: fieldname,
      name: originalname,
      type: mimetype,
      text: buffer.toString(),
    })),
    isToolCall: isToolCall(req),
    headers: req.headers,
  }
}
