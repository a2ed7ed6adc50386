/** What the routes of an app find on the requests of tool calls. */

import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { hasPreparedUser } from '../node/inject/prepared-user.js'

/** Adds the hook where it has something to do. */
export function followToolCalls(app: FastifyInstance, { prepares }: { readonly prepares: boolean }): void {
  if (prepares) app.addHook('onRequest', onToolCall)
}

/** One for all apps, so that the report knows it for ours. */
export const onToolCall: onRequestHookHandler = (request: FastifyRequest, _reply, done) => {
  const { raw } = request
  // Where the app has decorated requests with it, that may be without a setter.
  if (hasPreparedUser(raw)) put(request, 'user', { value: raw.user, writable: true })
  done()
}

function put(request: FastifyRequest, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(request, name, { ...property, configurable: true, enumerable: true })
}
