import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import * as passport from '@fastify/passport'
import secureSession from '@fastify/secure-session'
import session from '@fastify/session'
import fastify from 'fastify'
import { mountContract } from '../../contract/contract.js'
import { fastifyTests } from './fastify-tests.js'
import { fastifyHost } from './host.js'

const modules = { fastify, compress, cookie, cors, helmet, jwt, passport, secureSession, session }
mountContract('Fastify 5', fastifyHost(modules))
fastifyTests('Fastify 5', modules)
