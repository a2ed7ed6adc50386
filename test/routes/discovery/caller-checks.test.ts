/** Detection of middleware that checks the caller, by the names of real middleware. */

import cookieParser from 'cookie-parser'
import cors from 'cors'
import express, { type RequestHandler } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import koaJwt from 'koa-jwt'
import passport from 'passport'
import { expect, test } from 'vitest'
import { checksCaller } from '../../../src/routes/discovery/caller-checks.js'

const handlers: Readonly<Record<string, RequestHandler>> = {
  cookies: cookieParser(),
  cors: cors(),
  helmet: helmet(),
  json: express.json(),
  session: session({ secret: 'a secret of the test', resave: false, saveUninitialized: false }),
  initialize: passport.initialize(),
  passportSession: passport.session(),
  jwt: passport.authenticate('jwt', { session: false }),
  // Lets everybody pass: what it was made with cannot be seen.
  strangers: passport.authenticate('anonymous', { session: false }),
  koaJwt: koaJwt({ secret: 'a secret of the test', passthrough: true }) as never,
  ownAuthenticate: function authenticate(_req, _res, next) {
    next()
  },
  ownJwt: function jwt(_req, _res, next) {
    next()
  },
  requireLogin: function requireLogin(_req, _res, next) {
    next()
  },
  strange: function loadTenant(_req, _res, next) {
    next()
  },
  anonymous: (
    () => (_req, _res, next) =>
      next()
  )() as RequestHandler,
}

test.each([
  ['', 'no'],
  ['helmet cors json cookies session', 'no'],
  ['jwt', 'unknown'],
  ['helmet jwt', 'unknown'],
  ['strangers', 'unknown'],
  ['koaJwt', 'unknown'],
  ['ownAuthenticate', 'yes'],
  ['ownJwt', 'yes'],
  ['requireLogin', 'yes'],
  ['strange', 'unknown'],
  ['anonymous', 'unknown'],
  ['helmet anonymous jwt', 'unknown'],
  ['session initialize passportSession', 'unknown'],
  ['session passportSession', 'unknown'],
  ['session initialize passportSession requireLogin', 'yes'],
  ['session initialize passportSession jwt', 'unknown'],
  ['helmet initialize jwt', 'unknown'],
  ['json initialize cookies jwt', 'unknown'],
  ['anonymous initialize jwt', 'unknown'],
  ['strange initialize passportSession', 'unknown'],
])('behind %s: %s', (names, expected) => {
  const guards = names
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => ({ name: handlers[name]?.name ?? '', handle: handlers[name] }))
  expect(checksCaller(guards, new Set())).toBe(expected)
})

test('middleware that the app names counts, whatever its name', () => {
  expect(checksCaller([{ name: 'loadTenant', handle: undefined }], new Set(['loadTenant']))).toBe('yes')
  const { jwt, session: sessions, initialize, passportSession } = handlers
  const guard = (handle: RequestHandler | undefined) => ({ name: handle?.name ?? '', handle })
  const named = new Set(['authenticate'])
  expect(checksCaller([guard(jwt)], named)).toBe('yes')
  // Of the same name, and it refuses nobody.
  const restoring = [guard(sessions), guard(initialize), guard(passportSession)]
  expect(checksCaller(restoring, named)).toBe('unknown')
  expect(checksCaller([...restoring, guard(jwt)], named)).toBe('yes')
})
