/** Guesses from the names of middleware whether it checks the caller. */

import type { ChecksCaller } from '../../definitions/route-report.js'
import type { RouteGuard } from '../route.js'

/**
 * Names that well-known packages and most apps use for middleware that rejects anonymous callers. Compared without case
 * and `_`.
 */
const checkNames: ReadonlySet<string> = new Set([
  'authenticate',
  'authenticatejwt',
  'authenticatetoken',
  'authenticateuser',
  'authenticated',
  'isauthenticated',
  'ensureauthenticated',
  'ensureloggedin',
  'ensureloggedinmiddleware',
  'requireauth',
  'requireauthentication',
  'requirelogin',
  'requireuser',
  'requireadmin',
  'requirerole',
  'requiresauth',
  'requirestoken',
  'requirescopes',
  'requiredscopes',
  'requirejwt',
  'loginrequired',
  'authrequired',
  'auth',
  'authguard',
  'authmiddleware',
  'authorize',
  'authorization',
  'basicauth',
  'bearerauth',
  'checkauth',
  'checkjwt',
  'checktoken',
  'isloggedin',
  'isadmin',
  'jwt',
  'expressjwt',
  'jwtauth',
  'protect',
  'protected',
  'verifyjwt',
  'verifytoken',
  'verifyuser',
  'verifysession',
  'verifyapikey',
  'apikeyauth',
  'checkapikey',
  'validatejwt',
  'validatetoken',
])

/**
 * Middleware of packages that may let anonymous callers pass, depending on options in its closure: passport with the
 * strategy `anonymous`, koa-jwt with `passthrough`. Each name comes with a word from its source code, because functions
 * of the app may have the same name.
 */
const optionalChecks: ReadonlyMap<string, string> = new Map([
  ['authenticate', '_strategy'], // passport; its session middleware has the same name, see `sessionRestorer`
  ['passportauthenticate', ''], // koa-passport
  ['jwt', 'passthrough'], // koa-jwt
  ['koajwt', 'passthrough'],
])

/** Middleware that is known to let everybody pass. */
const passThroughNames: ReadonlySet<string> = new Set([
  'jsonparser',
  'urlencodedparser',
  'rawparser',
  'textparser',
  'bodyparser',
  'cookieparser',
  'cors',
  'corsmiddleware',
  'compression',
  'helmet',
  'helmetmiddleware',
  'logger',
  'morgan',
  'loggingmiddleware',
  'multermiddleware',
  'session',
  'initialize', // passport
  'passportinitialize',
  'compressmiddleware',
  'servestatic',
  'responsetime',
  'requestid',
  'query',
  'expressinit',
  'allowedmethods',
])

/**
 * Returns whether some middleware checks the caller. `named`: names that the app declares as checks. Anonymous and
 * unrecognized middleware is `unknown`.
 */
export function checksCaller(guards: readonly RouteGuard[], named: ReadonlySet<string>): ChecksCaller {
  const names = guards.map(({ name }) => plain(name))
  const restoring = sessionRestorer(names)
  const isCheck = (guard: RouteGuard, index: number): boolean =>
    (named.has(guard.name) || (checkNames.has(plain(guard.name)) && !isOptional(guard))) &&
    index !== restoring
  if (guards.some(isCheck)) return 'yes'
  return names.every((name) => passThroughNames.has(name)) ? 'no' : 'unknown'
}

function isOptional({ name, handle }: RouteGuard): boolean {
  const word = optionalChecks.get(plain(name))
  return (
    word !== undefined &&
    typeof handle === 'function' &&
    Function.prototype.toString.call(handle).includes(word)
  )
}

/**
 * Returns the index of `passport.session()`, or -1. It has the same name as `passport.authenticate()` but rejects
 * nobody. The first middleware of that name counts as the session if sessions exist in front of it, or may exist: after
 * `passport.initialize()`, an unrecognized middleware may create them.
 */
function sessionRestorer(names: readonly string[]): number {
  const first = names.findIndex((name) => name === 'authenticate' || name === 'passportauthenticate')
  const inFront = names.slice(0, Math.max(first, 0))
  const hasSessions = inFront.some((name) => name === 'session' || name === 'cookiesession')
  const mayHave =
    inFront.some((name) => name === 'initialize' || name === 'passportinitialize') &&
    !inFront.every((name) => passThroughNames.has(name))
  return hasSessions || mayHave ? first : -1
}

function plain(name: string): string {
  return name.toLowerCase().replace(/_/g, '')
}
