/** What the routes of an app find on the requests of tool calls. */

import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { hasPreparedUser } from '../node/inject/prepared-user.js'
import { toolCallOf } from '../node/inject/tool-call.js'

/** Adds the hook where it has something to do. */
export function followToolCalls(app: FastifyInstance, { prepares }: { readonly prepares: boolean }): void {
  // A session that is declared later is none of the MCP request's.
  if (prepares || app.hasRequestDecorator('session')) app.addHook('onRequest', onToolCall)
}

/** One for all apps, so that the report knows it for ours. */
export const onToolCall: onRequestHookHandler = (request: FastifyRequest, _reply, done) => {
  const { raw } = request
  // Where the app has decorated requests with it, that may be without a setter.
  if (hasPreparedUser(raw)) put(request, 'user', { value: raw.user, writable: true })
  const carrier = toolCallOf(raw)?.carrier as Sessional | undefined
  if (isSame(request, carrier)) {
    put(request, 'session', {
      get: () => carrier.session,
      set(value) {
        carrier.session = value
      },
    })
  }
  done()
}

/** What @fastify/session and @fastify/secure-session put on a request. */
interface Sessional {
  readonly server?: FastifyInstance
  session?: unknown
}

/**
 * Whether the request that carried the call has the session of this one. With an object each, the one that saves last
 * would undo what the other has written.
 */
function isSame(request: FastifyRequest, carrier: Sessional | undefined): carrier is Sessional {
  const { session } = request as Sessional
  return Boolean(session && carrier?.session) && carrier?.server?.server === request.server.server
}

function put(request: FastifyRequest, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(request, name, { ...property, configurable: true, enumerable: true })
}
