/** The login: a name and a password at `POST /login`, then a bearer token. */
import type { Request, RequestHandler } from 'express'
import createError from 'http-errors'
import jwt from 'jsonwebtoken'
import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { Strategy as LocalStrategy } from 'passport-local'
import { z } from 'zod'
import type { Db } from './db.js'
import { checkLogin, findUser, type User as TaskUser } from './users.js'
import { validate } from './validate.js'

declare global {
  namespace Express {
    interface User extends TaskUser {}
  }
}

/** The strategy `local`: a name and a password. */
export function localStrategy(db: Db) {
  return new LocalStrategy((name, password, done) => {
    checkLogin(db, name, password).then((user) => done(null, user ?? false), done)
  })
}

/** The strategy `jwt`: a bearer token that `sendToken` issued. */
export function jwtStrategy(db: Db, secret: string) {
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken()
  return new JwtStrategy({ jwtFromRequest, secretOrKey: secret, algorithms: ['HS256'] }, ({ sub }, done) => {
    findUser(db, Number(sub)).then((user) => done(null, user ?? false), done)
  })
}

const Credentials = z.object({ username: z.string().min(1), password: z.string().min(1) })

export const requireCredentials: RequestHandler = (req, _res, next) => {
  validate(Credentials, req.body)
  next()
}

export function sendToken(secret: string): RequestHandler {
  return (req, res) => {
    res.json({ token: signToken(userOf(req), secret) })
  }
}

/** Creates a token for a user that is valid for 8 hours. */
export function signToken(user: TaskUser, secret: string): string {
  return jwt.sign({}, secret, { algorithm: 'HS256', subject: String(user.id), expiresIn: '8h' })
}

/** Returns the authenticated user, for routes behind a login. */
export function userOf(req: Request): TaskUser {
  if (!req.user) throw createError(401)
  return req.user
}
