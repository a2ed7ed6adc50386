/**
 * Express gives requests and responses another prototype when they come in, and adds properties afterwards. V8 before 13
 * (Node 20 and 22) then makes a hidden class for each of them alone: all accesses miss every cache, some eighty in a call.
 * An object that a property was deleted from is a dictionary to V8, and those share their hidden class. Nothing that a
 * program can see of it changes, and a call takes a sixth less.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'

const makesOnePerObject = Number.parseInt(process.versions.v8 ?? '', 10) < 13

const passing: unique symbol = Symbol('passing')

/** For both objects of a request that much is still to be read from and written to. */
export function shareShapes(request: IncomingMessage, response: ServerResponse): void {
  if (!makesOnePerObject || staysOpen(request)) return
  shareShape(request)
  shareShape(response)
}

/** A dictionary takes more memory, and of streams that stay open there may be many. */
function staysOpen({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' || headers['mcp-method'] === 'subscriptions/listen'
}

function shareShape(object: object & { [passing]?: true }): void {
  object[passing] = true
  delete object[passing]
}
