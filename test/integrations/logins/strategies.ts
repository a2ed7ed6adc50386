/** How passport knows the users: by a token that `secret` signed, or by their password. */

import { ExtractJwt, Strategy as JwtStrategy } from 'passport-jwt'
import { Strategy as LocalStrategy } from 'passport-local'
import { passwords, secret } from './proof.js'

export function tokenStrategy(): JwtStrategy {
  const options = { secretOrKey: secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() }
  return new JwtStrategy(options, ({ sub }, done) => done(null, { id: sub }))
}

export function passwordStrategy(): LocalStrategy {
  return new LocalStrategy((name, password, done) => done(null, passwords[name] === password && { id: name }))
}
