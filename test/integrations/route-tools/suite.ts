/** Everything that routes as tools promise, on one framework. */

import { describe } from 'vitest'
import { answers } from './answers.js'
import { callers } from './callers.js'
import { endings } from './endings.js'
import { exposure } from './exposure.js'
import type { RouteHost } from './host.js'
import { inputs } from './inputs.js'
import { longNumbers } from './long-numbers.js'
import { loops } from './loops.js'
import { manyCalls } from './many-calls.js'
import { streams } from './streams.js'
import { uploads } from './uploads.js'

export function routeTools(host: RouteHost): void {
  routeContract(host)
  describe(`route tools in ${host.name}: many calls`, () => manyCalls(host))
}

/** The same without the calls that take long because they are many. */
export function routeContract(host: RouteHost): void {
  describe(`route tools in ${host.name}: who calls`, () => callers(host))
  describe(`route tools in ${host.name}: what they are asked`, () => inputs(host))
  describe(`route tools in ${host.name}: what they answer`, () => answers(host))
  describe(`route tools in ${host.name}: long numbers`, () => longNumbers(host))
  describe(`route tools in ${host.name}: uploads`, () => uploads(host))
  describe(`route tools in ${host.name}: streams`, () => streams(host))
  describe(`route tools in ${host.name}: endings`, () => endings(host))
  describe(`route tools in ${host.name}: loops`, () => loops(host))
  describe(`route tools in ${host.name}: exposure`, () => exposure(host))
}
