/** What docs/routes.md takes for granted: apps with a login and routes of their own, before they are marked. */

import multipart from '@fastify/multipart'
import KoaRouter from '@koa/router'
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import Koa from 'koa'
import multer from 'multer'
import type { User } from './user.js'

export type { User }

export const users: { get(token: string): User | undefined } = {
  get: (token) => (/^\w+-key$/.test(token) ? { id: token.slice(0, -4) } : undefined),
}
export const app: express.Express = express()
app.use(findUser)

export function findUser(req: Request, _res: Response, next: NextFunction): void {
  const user = users.get(req.header('authorization')?.replace('Bearer ', '') ?? '')
  if (user !== undefined) req.user = user
  next()
}

export function requireLogin(req: Request, res: Response, next: NextFunction): void {
  if (req.user === undefined) res.status(401).json({ message: 'Log in first' })
  else next()
}

export const getTask: RequestHandler = (req, res) => {
  if (req.params.id === '404') res.status(404).json({ message: 'No such task' })
  else res.json({ id: Number(req.params.id), by: (req.user as User | undefined)?.id })
}
export const echo: RequestHandler = (req, res) => {
  res.json({ path: req.path, query: req.query, body: req.body, user: req.user })
}
export const keepFile: RequestHandler = ({ file }, res) => {
  res.json({ name: file?.originalname, size: file?.size })
}
export const upload: multer.Multer = multer({ limits: { fileSize: 1_000_000 } })

export const fastifyApp: FastifyInstance = fastify()
fastifyApp.register(multipart)
export const koaApp: Koa = new Koa()
export const koaRouter: KoaRouter = new KoaRouter()

/** Another API, described by a document. */
export const billingDocument: object = {
  openapi: '3.1.0',
  info: { title: 'Billing', version: '1' },
  servers: [{ url: 'https://billing.example.com/v1' }],
  paths: {
    '/invoices/{id}': {
      get: {
        operationId: 'invoice_get',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {},
      },
      delete: { operationId: 'invoice_delete', responses: {} },
    },
  },
}

/** The app's own API. */
export const tasksDocument: object = {
  openapi: '3.1.0',
  info: { title: 'Tasks', version: '1' },
  paths: {
    '/tasks/{taskId}': {
      get: {
        operationId: 'task_get',
        description: 'One task of the shop.',
        parameters: [{ name: 'taskId', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {},
      },
    },
  },
}
