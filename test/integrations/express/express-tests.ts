/** Features of Express: places to mount, errors of its parsers, guards, and prototypes that must stay unchanged. */

import { describe } from 'vitest'
import { corsLogin } from '../in-front/express-cors.js'
import { parsersInFront } from '../in-front/express-parsers.js'
import { addresses } from './addresses.js'
import { answeredFirst } from './answered-first.js'
import { goneEarly } from './gone-early.js'
import { guardResponses } from './guard-responses.js'
import { guards } from './guards.js'
import type { ExpressModule } from './host.js'
import { loggedIn } from './logged-in.js'
import { mounting } from './mounting.js'
import { neighbours } from './neighbours.js'
import { parserErrors } from './parser-errors.js'
import { protectedMounts } from './protected.js'
import { shapes } from './shapes.js'
import { untouched } from './untouched.js'

export function expressTests(name: string, express: ExpressModule): void {
  describe(`mounting in ${name}`, () => mounting(express))
  describe(`addresses in ${name}`, () => addresses(express))
  describe(`errors of parsers in ${name}`, () => parserErrors(express))
  describe(`parsers in front of a router of ${name}`, () => parsersInFront(express))
  describe(`CORS and logins of ${name}`, () => corsLogin(express))
  describe(`middleware around the mount in ${name}`, () => neighbours(express))
  describe(`clients of ${name} that leave early`, () => goneEarly(express))
  describe(`requests of ${name} that the host answered`, () => answeredFirst(express))
  describe(`logins of ${name} apps`, () => loggedIn(express))
  describe(`protected mounts in ${name}`, () => protectedMounts(express))
  describe(`guard() in ${name}`, () => guards(express))
  describe(`responses of guards in ${name}`, () => guardResponses(express))
  describe(`requests of ${name} to V8`, () => shapes(express))
  describe(`what ${name} keeps`, () => untouched(express))
}
