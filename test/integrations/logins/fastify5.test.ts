import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import * as passport from '@fastify/passport'
import secureSession from '@fastify/secure-session'
import session from '@fastify/session'
import fastify from 'fastify'
import { describe } from 'vitest'
import { fastifyLogins } from './fastify-logins.js'

const modules = { fastify, cookie, jwt, passport, secureSession, session }
describe('Fastify 5 has the user of', () => fastifyLogins(modules))
