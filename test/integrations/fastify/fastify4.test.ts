import fastify from 'fastify4'
import compress from 'fastify4-compress'
import cookie from 'fastify4-cookie'
import cors from 'fastify4-cors'
import helmet from 'fastify4-helmet'
import jwt from 'fastify4-jwt'
import * as passport from 'fastify4-passport'
import secureSession from 'fastify4-secure-session'
import session from 'fastify4-session'
import { mountContract } from '../../contract/contract.js'
import { fastifyTests } from './fastify-tests.js'
import { fastifyHost } from './host.js'

// By default, Fastify 4 starts the query at a semicolon.
const options = { useSemicolonDelimiter: false }
const modules = { fastify, compress, cookie, cors, helmet, jwt, passport, secureSession, session, options }
mountContract('Fastify 4', fastifyHost(modules))
fastifyTests('Fastify 4', modules)
