/** Features of Fastify: places to register, its parsers and hooks, guards, and an app that must stay unchanged. */

import { describe } from 'vitest'
import { corsLogin } from '../in-front/fastify-cors.js'
import { guards } from './guards.js'
import { hooks } from './hooks.js'
import type { FastifyModules } from './host.js'
import { leaving } from './leaving.js'
import { lifetime } from './lifetime.js'
import { loggedIn } from './logged-in.js'
import { mounting } from './mounting.js'
import { untouched } from './untouched.js'

export function fastifyTests(name: string, modules: FastifyModules): void {
  describe(`mounting in ${name}`, () => mounting(modules))
  describe(`hooks and plugins of ${name}`, () => hooks(modules))
  describe(`logins of ${name} apps`, () => loggedIn(modules))
  describe(`CORS and logins of ${name}`, () => corsLogin(modules))
  describe(`guard() in ${name}`, () => guards(modules))
  describe(`clients of ${name} that leave early`, () => leaving(modules))
  describe(`the logger and the end of ${name} apps`, () => lifetime(modules))
  describe(`what ${name} keeps`, () => untouched(modules))
}
