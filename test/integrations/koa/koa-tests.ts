/** Features of Koa: places to mount, its parsers, its onion, guards, and an app that must stay unchanged. */

import { describe } from 'vitest'
import { corsLogin } from '../in-front/koa-cors.js'
import { addresses } from './addresses.js'
import { answeredFirst } from './answered-first.js'
import { bodyParsers } from './body-parsers.js'
import { guardResponses } from './guard-responses.js'
import { guards } from './guards.js'
import type { KoaModule } from './host.js'
import { leavingStreams } from './leaving-streams.js'
import { loggedIn } from './logged-in.js'
import { mounting } from './mounting.js'
import { neighbours } from './neighbours.js'
import { onion } from './onion.js'
import { untouched } from './untouched.js'

export function koaTests(name: string, Koa: KoaModule): void {
  describe(`mounting in ${name}`, () => mounting(Koa))
  describe(`addresses in ${name}`, () => addresses(Koa))
  describe(`body parsers of ${name} apps`, () => bodyParsers(Koa))
  describe(`middleware around the mount in ${name}`, () => neighbours(Koa))
  describe(`requests of ${name} that the host answered`, () => answeredFirst(Koa))
  describe(`clients of ${name} that leave`, () => leavingStreams(Koa))
  describe(`logins of ${name} apps`, () => loggedIn(Koa))
  describe(`CORS and logins of ${name}`, () => corsLogin(Koa))
  describe(`guard() in ${name}`, () => guards(Koa))
  describe(`guard() and next() in ${name}`, () => onion(Koa))
  describe(`responses of guards in ${name}`, () => guardResponses(Koa))
  describe(`what ${name} keeps`, () => untouched(Koa))
}
