/** Every way to put the mount and the routes below the instance that `fastify()` returned. */

import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type fastify from 'fastify'
import type { FastifyInstance, FastifyPluginAsync, RouteHandlerMethod } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { onTestFinished } from 'vitest'

const load = createRequire(import.meta.url)
const repository = fileURLToPath(new URL('../../../..', import.meta.url))

export interface Major {
  readonly name: string
  readonly create: typeof fastify
  /** Names of packages: not each major has the same. */
  readonly packages: { readonly fastify: string; readonly autoload: string }
}

export interface Parts {
  /** Registers the mount. */
  readonly mount: (scope: FastifyInstance) => Promise<void>
  /** Answers `GET /items/:id`. */
  readonly handler: RouteHandlerMethod
}

export interface Place {
  readonly name: string
  /** In front of the endpoint and the route. */
  readonly prefix?: string
  /** Returns an app whose plugins are loaded. */
  readonly build: (major: Major, parts: Parts) => Promise<FastifyInstance>
}

/** The mount first, the route after it, in one scope. */
const both =
  ({ mount, handler }: Parts): FastifyPluginAsync =>
  async (scope) => {
    await mount(scope)
    scope.get('/items/:id', handler)
  }

const registered =
  (plugin: (parts: Parts) => FastifyPluginAsync, options = {}): Place['build'] =>
  async ({ create }, parts) => {
    const app = create()
    await app.register(plugin(parts), options)
    return app
  }

export const places: readonly Place[] = [
  { name: 'the app itself', build: registered((parts) => fastifyPlugin(both(parts))) },
  { name: 'a scope', build: registered(both) },
  { name: 'a scope with a prefix', prefix: '/v1', build: registered(both, { prefix: '/v1' }) },
  {
    name: 'a scope that does not wait for its mount',
    build: registered(({ mount, handler }) => async (scope) => {
      void mount(scope)
      scope.register(async (later) => void later.get('/items/:id', handler))
    }),
  },
  {
    name: 'a scope with callbacks',
    build: registered(
      ({ mount, handler }) =>
        ((scope: FastifyInstance, _options: object, done: () => void) => {
          void mount(scope)
          scope.after(() => void scope.get('/items/:id', handler))
          done()
        }) as never,
    ),
  },
  {
    name: 'a scope in a scope',
    prefix: '/a/b',
    build: registered(
      (parts) => async (scope) => void (await scope.register(both(parts), { prefix: '/b' })),
      {
        prefix: '/a',
      },
    ),
  },
  {
    name: 'a scope, by a plugin of the app',
    build: registered(({ mount, handler }) => async (scope) => {
      await scope.register(fastifyPlugin(async (inner: FastifyInstance) => mount(inner)))
      await scope.register(async (routes) => void routes.get('/items/:id', handler))
    }),
  },
  {
    name: 'a scope that is registered while the app starts',
    build: async ({ create }, parts) => {
      const app = create()
      app.register(async (scope) => void scope.register(both(parts)))
      await app.ready()
      return app
    },
  },
  {
    name: 'folders of @fastify/autoload',
    build: async (major, parts) => {
      const app = major.create()
      await app.register(load(await generated(major)), optionsFor(major, parts))
      return app
    },
  },
  { name: 'an app of fastify-cli', build: (major, parts) => started(major, parts, []) },
  {
    name: 'an app of fastify-cli with a prefix',
    prefix: '/v1',
    build: (major, parts) => started(major, parts, ['--prefix', '/v1']),
  },
]

/** Starts the app as `fastify start` does, without a port. */
async function started(major: Major, parts: Parts, args: readonly string[]): Promise<FastifyInstance> {
  const cli = load('fastify-cli/helper.js') as {
    build(args: readonly string[], options: object, server: object): Promise<FastifyInstance>
  }
  const file = await generated(major)
  return cli.build(['-l', 'fatal', ...args, file], optionsFor(major, parts), {})
}

function optionsFor({ packages }: Major, parts: Parts): object {
  return { ...parts, autoload: load(packages.autoload) }
}

/** Copies the app to where it finds this major. Returns its file. */
async function generated({ packages }: Major): Promise<string> {
  const cache = path.join(repository, '.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(path.join(cache, 'fastify-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(fileURLToPath(new URL('generated', import.meta.url)), folder, { recursive: true })
  await mkdir(path.join(folder, 'node_modules'))
  await symlink(
    path.join(repository, 'node_modules', packages.fastify),
    path.join(folder, 'node_modules/fastify'),
  )
  return path.join(folder, 'app.cjs')
}
