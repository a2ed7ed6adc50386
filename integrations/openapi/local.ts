/** Dispatches calls of a document's tools to an app in this process, of any supported framework. */

import type { Dispatch } from '../../src/adapter.js'
import { describe } from '../../src/internal.js'
import { createDispatch, type Listener, type Prototypes } from '../node/inject/dispatch.js'
import { type FastifyApp, fastifyDispatch } from '../node/inject/fastify-app.js'
import { type KoaApp, koaDispatch } from '../node/inject/koa-app.js'

/** Creates a dispatch to an Express, Koa or Fastify app, or a request listener. @throws TypeError for anything else. */
export function localDispatch(app: unknown): Dispatch {
  if (isFastify(app)) return fastifyDispatch(app)
  if (isKoa(app)) return koaDispatch(app)
  if (typeof app === 'function') return createDispatch(app as Listener, app as Prototypes)
  throw new TypeError(
    `addOpenApi(): expected \`app\` to be an Express, Koa or Fastify app, got ${describe(app)}`,
  )
}

function isFastify(app: unknown): app is FastifyApp {
  const { routing, ready, printRoutes } = (app ?? {}) as Record<string, unknown>
  return [routing, ready, printRoutes].every((part) => typeof part === 'function')
}

function isKoa(app: unknown): app is KoaApp {
  const { middleware, callback } = (app ?? {}) as Record<string, unknown>
  return Array.isArray(middleware) && typeof callback === 'function'
}
