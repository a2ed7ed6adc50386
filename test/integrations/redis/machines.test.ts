/** Several machines that share one Redis: the contract's part about them, on each framework. */

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
import { redisStore } from 'mcp-router/redis'
import { afterAll, beforeAll, describe } from 'vitest'
import { severalMachines } from '../../contract/machines.js'
import { type RedisServer, redisServer } from '../../support/redis-server.js'
import { expressHost } from '../express/host.js'
import { fastifyHost } from '../fastify/host.js'
import { koaHost } from '../koa/host.js'
import { nodeHost, overHttp } from '../node/host.js'

const modules = { fastify, compress, cookie, cors, helmet, jwt, passport, secureSession, session }
const hosts = {
  Express: expressHost(express),
  Fastify: fastifyHost(modules),
  Koa: koaHost(Koa),
  'node:http': nodeHost(overHttp),
}

let server: RedisServer
let count = 0
beforeAll(async () => {
  server = await redisServer()
})
afterAll(() => server.stop())

for (const [name, host] of Object.entries(hosts)) {
  describe(`${name}: several machines with Redis`, () => {
    severalMachines(host, () => {
      const prefix = `test-${count++}:`
      return () => redisStore({ url: server.url, prefix })
    })
  })
}
