/** Turns Express handlers that don't belong to a route into a tool, without the app's own middleware. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, ErrorRequestHandler, Request, RequestHandler } from 'express'
import { createDispatch } from '../node/inject/dispatch.js'
import { flatten, type HandlerOptions, type ToolHandler, toToolHandler } from '../node/inject/handler-call.js'
import { runtime } from '../node/runtime.js'

// biome-ignore lint/suspicious/noExplicitAny: accepts handlers with any types of parameters
type AnyHandler = RequestHandler<any, any, any, any, any> | ErrorRequestHandler<any, any, any, any, any>
type Handlers = AnyHandler | readonly Handlers[]

export interface FromHandlerOptions extends HandlerOptions<Request> {
  /**
   * App whose request and response prototypes the handlers get. Default: the app of the MCP request, else a new app.
   */
  app?: Application | undefined
}

type Step = (...args: unknown[]) => unknown
/** The prototypes of an app's requests and responses, which the types of Express leave out. */
type Prototypes = { readonly request: object; readonly response: object }

/**
 * Runs a chain of `(req, res, next)` functions as the handler of a tool:
 *
 * ```ts
 * router.tool('user_get', { input, handler: fromHandler([requireLogin, getUser], { params: ['id'] }) })
 * ```
 *
 * Only the chain runs: none of the app's middleware, parsers or error handlers. `req.user` is `ctx.user`, `req.session`
 * is the MCP request's session, and `req.body` has the arguments that are in neither `params` nor `query`. An error
 * passed to `next(error)` is handled like an error that a tool throws.
 * @throws TypeError for handlers that aren't functions, and for unknown or invalid options.
 */
export function fromHandler(handlers: Handlers, { app, ...options }: FromHandlerOptions = {}): ToolHandler {
  const steps = flatten<Step>('fromHandler()', handlers)
  let newApp: Application | undefined
  const appOf = (outer: { app?: Application } | undefined): Application => {
    const found = app ?? outer?.app
    if (found !== undefined) return found
    newApp ??= (runtime.load('express') as () => Application)()
    return newApp
  }
  return toToolHandler('fromHandler()', options, {
    dispatch: createDispatch((req, res) => runSteps(steps, asExpress(req, res), res)),
    prepare: (incoming, parts, ctx) => {
      const outer = ctx.request?.raw as { app?: Application; session?: unknown } | undefined
      const { url } = incoming as IncomingMessage
      Object.setPrototypeOf(incoming, (appOf(outer) as unknown as Prototypes).request)
      Object.assign(incoming as object, { params: parts.params, originalUrl: url, baseUrl: '' })
      // In Express 5, `query` is a getter of the prototype, so it can't be assigned.
      Object.defineProperty(incoming, 'query', { value: parts.query, writable: true, configurable: true })
      if (parts.body !== undefined) Object.assign(incoming as object, { body: parts.body })
      if (ctx.user !== undefined) Object.assign(incoming as object, { user: ctx.user })
      if (outer?.session !== undefined) Object.assign(incoming as object, { session: outer.session })
      return options.prepare?.(incoming as Request, ctx)
    },
  })
}

/** Sets up a request and its response as an Express app does before its first middleware. */
function asExpress(req: IncomingMessage, res: ServerResponse): IncomingMessage {
  Object.setPrototypeOf(res, ((req as Request).app as unknown as Prototypes).response)
  Object.assign(res, { req, locals: Object.create(null) })
  Object.assign(req, { res })
  return req
}

/**
 * Runs the chain. Rejects with an error that no handler takes. Stays pending after a response, which holds no memory.
 */
function runSteps(steps: readonly Step[], req: IncomingMessage, res: ServerResponse): Promise<never> {
  return new Promise((_, reject) => {
    let index = 0
    const next = (given?: unknown): void => {
      // `next('route')` and `next('router')` leave the chain: skip all remaining handlers.
      const leaves = given === 'route' || given === 'router'
      const failed = !leaves && given !== undefined && given !== null
      while (index < steps.length && (leaves || failed !== (steps[index]?.length === 4))) index++
      const step = steps[index++]
      if (step === undefined) {
        if (failed) reject(given)
        else notFound(res)
        return
      }
      try {
        const returned = failed ? step(given, req, res, next) : step(req, res, next)
        Promise.resolve(returned).catch((error: unknown) => next(error ?? new Error('Rejected promise')))
      } catch (error) {
        next(error)
      }
    }
    Object.assign(req, { next })
    next()
  })
}

function notFound(res: ServerResponse): void {
  res.statusCode = 404
  res.end()
}
