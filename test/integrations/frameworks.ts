/** One host of each framework, the newest: for what is no matter of versions. */

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
import { expressHost } from './express/host.js'
import { fastifyHost } from './fastify/host.js'
import { koaHost } from './koa/host.js'
import { nodeHost, overHttp } from './node/host.js'

const modules = { fastify, compress, cookie, cors, helmet, jwt, passport, secureSession, session }

export const frameworks = {
  Express: expressHost(express),
  Fastify: fastifyHost(modules),
  Koa: koaHost(Koa),
  'node:http': nodeHost(overHttp),
}
