/** Sets the session and user on requests of tool calls, for the app's routes. */

import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { hasPreparedUser } from '../node/inject/prepared-user.js'
import { toolCallOf } from '../node/inject/tool-call.js'

/** Adds the hook if it's needed. */
export function addToolCallHook(app: FastifyInstance, { prepares }: { readonly prepares: boolean }): void {
  // A session plugin that is registered later doesn't apply to the MCP request, so there's nothing to share.
  if (prepares || app.hasRequestDecorator('session')) app.addHook('onRequest', onToolCall)
}

/** The hook. All apps share one function, so that route discovery can recognize it. */
export const onToolCall: onRequestHookHandler = (request: FastifyRequest, _reply, done) => {
  const { raw } = request
  // Defined instead of assigned: the app's decorator may have no setter.
  if (hasPreparedUser(raw)) define(request, 'user', { value: raw.user, writable: true })
  const carrier = toolCallOf(raw)?.carrier as SessionRequest | undefined
  if (hasSameSession(request, carrier)) {
    define(request, 'session', {
      get: () => carrier.session,
      set(value) {
        carrier.session = value
      },
    })
  }
  done()
}

/** Properties that @fastify/session and @fastify/secure-session set on a request. */
interface SessionRequest {
  readonly server?: FastifyInstance
  session?: unknown
}

/**
 * Whether the request that carried the call has the same session. With a session object each, the request that saves
 * last would overwrite the other's changes.
 */
function hasSameSession(
  request: FastifyRequest,
  carrier: SessionRequest | undefined,
): carrier is SessionRequest {
  const { session } = request as SessionRequest
  return Boolean(session && carrier?.session) && carrier?.server?.server === request.server.server
}

function define(request: FastifyRequest, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(request, name, { ...property, configurable: true, enumerable: true })
}
