/** Whether something in front of a route checks who calls: by the names of its middleware. */

import type { ChecksCaller } from '../../definitions/route-report.js'
import type { RouteGuard } from '../route.js'

/** What well-known packages and most apps call a middleware that refuses strangers; compared without case and `_`. */
const checks: ReadonlySet<string> = new Set([
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
 * Middleware of packages that lets strangers pass when it is set so, which only its closure knows: passport with the
 * strategy `anonymous`, koa-jwt with `passthrough`. By name, with a word of its source: functions of the app may have
 * the name too.
 */
const undecided: ReadonlyMap<string, string> = new Map([
  ['authenticate', '_strategy'], // passport, and its session: see below
  ['passportauthenticate', ''], // koa-passport
  ['jwt', 'passthrough'], // koa-jwt
  ['koajwt', 'passthrough'],
])

/** What is known to let everybody pass. */
const passes: ReadonlySet<string> = new Set([
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

/** `named`: what the app says checks the caller. Anonymous and strange middleware may or may not: unknown. */
export function checksCaller(guards: readonly RouteGuard[], named: ReadonlySet<string>): ChecksCaller {
  const names = guards.map(({ name }) => plain(name))
  const restoring = sessionRestorer(names)
  const isCheck = (guard: RouteGuard, index: number): boolean =>
    (named.has(guard.name) || (checks.has(plain(guard.name)) && !isUndecided(guard))) && index !== restoring
  if (guards.some(isCheck)) return 'yes'
  return names.every((name) => passes.has(name)) ? 'no' : 'unknown'
}

function isUndecided({ name, handle }: RouteGuard): boolean {
  const word = undecided.get(plain(name))
  return (
    word !== undefined &&
    typeof handle === 'function' &&
    Function.prototype.toString.call(handle).includes(word)
  )
}

/**
 * `passport.session()` has the name of `passport.authenticate()` and refuses nobody: the first of that name behind what
 * it needs, or may need, is taken for it. It needs sessions, and behind `passport.initialize()` a strange middleware may
 * be what makes them.
 */
function sessionRestorer(names: readonly string[]): number {
  const first = names.findIndex((name) => name === 'authenticate' || name === 'passportauthenticate')
  const inFront = names.slice(0, Math.max(first, 0))
  const hasSessions = inFront.some((name) => name === 'session' || name === 'cookiesession')
  const mayHave =
    inFront.some((name) => name === 'initialize' || name === 'passportinitialize') &&
    !inFront.every((name) => passes.has(name))
  return hasSessions || mayHave ? first : -1
}

function plain(name: string): string {
  return name.toLowerCase().replace(/_/g, '')
}
