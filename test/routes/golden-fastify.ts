/** The golden API in Fastify, 4 and 5. */

import type fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onTestFinished } from 'vitest'
import type { FastifyApp } from '../../integrations/fastify/routes-discovery.js'
import { fastifyRoutes, routeSource } from '../../integrations/fastify/routes-source.js'
import { connectRoutes } from '../../src/internal.js'
import type { GoldenHost } from './golden.js'

export function fastifyGolden(name: string, create: typeof fastify): GoldenHost {
  return {
    name,
    async start(routes, router) {
      const app = create()
      onTestFinished(() => app.close())
      const source = routeSource(app as unknown as FastifyApp, { routes })
      const answer = (route: string) => async (request: FastifyRequest, _reply: FastifyReply) => ({
        route,
        params: request.params,
      })
      app.get('/tasks', answer('GET /tasks'))
      app.post('/tasks', answer('POST /tasks'))
      app.get('/tasks/:id', answer('GET /tasks/{id}'))
      app.put('/tasks/:id', answer('PUT /tasks/{id}'))
      app.patch('/tasks/:id', answer('PATCH /tasks/{id}'))
      app.delete('/tasks/:id', answer('DELETE /tasks/{id}'))
      app.register(
        async (api) => {
          api.register(
            async (users) => {
              users.get('/', answer('GET /api/v1/users'))
              users.get('/:userId', answer('GET /api/v1/users/{userId}'))
              users.post('/:userId/avatar', answer('POST /api/v1/users/{userId}/avatar'))
            },
            { prefix: '/users' },
          )
        },
        { prefix: '/api/v1' },
      )
      app.register(
        async (members) => {
          members.get('/', answer('GET /orgs/{org}/members'))
          members.get('/:id', answer('GET /orgs/{org}/members/{id}'))
          members.delete('/:id', answer('DELETE /orgs/{org}/members/{id}'))
        },
        { prefix: '/orgs/:org/members' },
      )
      for (const path of ['/colours', '/colors']) app.get(path, answer(`GET ${path}`))
      app.get('/archive/:year?', answer('GET /archive/{year}'))
      app.get('/ranges/:from-:to', answer('GET /ranges/{from}-{to}'))
      app.get('/files/:name.json', answer('GET /files/{name}.json'))
      app.get('/robots.txt', answer('GET /robots.txt'))
      app.post('/payments', { config: { mcp: { name: 'pay' } } as object }, answer('POST /payments'))
      app.get('/internal/health', answer('GET /internal/health'))
      app.get('/secret', { config: { mcp: false } as object }, answer('GET /secret'))
      app.all('/anything', answer('ALL /anything'))
      app.get('/assets/*', answer('GET /assets/*'))
      app.register(async (sub) => void sub.get('/status/:id', answer('GET /sub/status/{id}')), {
        prefix: '/sub',
      })
      const long = '/a/resource/named/with/patience/and/care/by/people/of/taste/:resourceIdentifier'
      app.get(long, answer(`GET ${long.replace(':resourceIdentifier', '{resourceIdentifier}')}`))
      connectRoutes(router, fastifyRoutes(source), { routes, app })
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      return { router, app, origin }
    },
  }
}
