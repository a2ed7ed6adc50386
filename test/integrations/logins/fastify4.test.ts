import fastify from 'fastify4'
import cookie from 'fastify4-cookie'
import jwt from 'fastify4-jwt'
import * as passport from 'fastify4-passport'
import secureSession from 'fastify4-secure-session'
import session from 'fastify4-session'
import { describe } from 'vitest'
import { fastifyLogins } from './fastify-logins.js'

const modules = { fastify, cookie, jwt, passport, secureSession, session }
describe('Fastify 4 has the user of', () => fastifyLogins(modules))
