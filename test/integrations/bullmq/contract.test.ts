/** Tasks that BullMQ runs: the contract's part about tasks, on each framework. */

import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import * as passport from '@fastify/passport'
import secureSession from '@fastify/secure-session'
import session from '@fastify/session'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import type { RouterOptions } from 'mcp-router'
import { afterAll, beforeAll, describe } from 'vitest'
import { tasks } from '../../contract/tasks.js'
import { expressHost } from '../express/host.js'
import { fastifyHost } from '../fastify/host.js'
import { koaHost } from '../koa/host.js'
import { nodeHost, overHttp } from '../node/host.js'
import { type Queues, queues } from './queues.js'

const modules = { fastify, compress, cookie, cors, helmet, jwt, passport, secureSession, session }
const hosts = {
  Express: expressHost(express),
  Fastify: fastifyHost(modules),
  Koa: koaHost(Koa),
  'node:http': nodeHost(overHttp),
}

let all: Queues
beforeAll(async () => {
  all = await queues()
})
afterAll(() => all.stop())

for (const [name, host] of Object.entries(hosts)) {
  describe(`${name}: tasks with BullMQ`, () => {
    tasks(host, (): RouterOptions => all.server())
  })
}
