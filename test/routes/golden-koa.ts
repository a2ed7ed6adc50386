/** The golden API in Koa with @koa/router. Only the path syntax differs between major versions. */

import type { AddressInfo } from 'node:net'
import type KoaRouter from '@koa/router'
import type Koa from 'koa'
import mount from 'koa-mount'
import { onTestFinished } from 'vitest'
import { asTool } from '../../integrations/koa/as-tool.js'
import { koaRoutes } from '../../integrations/koa/routes-source.js'
import { connectRoutes } from '../../src/internal.js'
import type { GoldenHost } from './golden.js'

interface Spelling {
  readonly optionalYear: string
  readonly assets: string
}

const six: Spelling = { optionalYear: '/archive/:year?', assets: '/assets/(.*)' }
const eight: Spelling = { optionalYear: '/archive{/:year}', assets: '/assets/*splat' }

export function koaGolden(name: string, Application: typeof Koa, Router: typeof KoaRouter): GoldenHost {
  const spelling = name.endsWith('15') ? eight : six
  return {
    name,
    async start(routes, server) {
      const app = new Application()
      const answer = (route: string) => (ctx: Koa.Context) => {
        ctx.body = { route, params: { ...ctx.params } }
      }
      const router = new Router()
      router.get('/tasks', answer('GET /tasks')).post('/tasks', answer('POST /tasks'))
      router.get('/tasks/:id', answer('GET /tasks/{id}'))
      router.put('/tasks/:id', answer('PUT /tasks/{id}'))
      router.patch('/tasks/:id', answer('PATCH /tasks/{id}'))
      router.delete('/tasks/:id', answer('DELETE /tasks/{id}'))

      const api = new Router({ prefix: '/api/v1' })
      const users = new Router()
      users.get('/', answer('GET /api/v1/users'))
      users.get('/:userId', answer('GET /api/v1/users/{userId}'))
      users.post('/:userId/avatar', answer('POST /api/v1/users/{userId}/avatar'))
      api.use('/users', users.routes(), users.allowedMethods())

      const members = new Router()
      members.get('/', answer('GET /orgs/{org}/members'))
      members.get('/:id', answer('GET /orgs/{org}/members/{id}'))
      members.delete('/:id', answer('DELETE /orgs/{org}/members/{id}'))
      router.use('/orgs/:org/members', members.routes())

      router.get(['/colours', '/colors'], (ctx: Koa.Context) => {
        ctx.body = { route: `GET ${ctx.path}`, params: {} }
      })
      router.get(spelling.optionalYear, answer('GET /archive/{year}'))
      router.get('/ranges/:from-:to', answer('GET /ranges/{from}-{to}'))
      router.get('/files/:name.json', answer('GET /files/{name}.json'))
      router.get('/robots.txt', answer('GET /robots.txt'))
      router.post('/payments', asTool({ name: 'pay' }) as Koa.Middleware, answer('POST /payments'))
      router.get('/internal/health', answer('GET /internal/health'))
      router.get('/secret', asTool({ hidden: true }) as Koa.Middleware, answer('GET /secret'))
      router.all('/anything', answer('ALL /anything'))
      router.get(spelling.assets, answer('GET /assets/*'))
      router.get(/^\/rx\/\d+$/, answer('GET /rx'))
      const long = '/a/resource/named/with/patience/and/care/by/people/of/taste/:resourceIdentifier'
      router.get(long, answer(`GET ${long.replace(':resourceIdentifier', '{resourceIdentifier}')}`))

      const sub = new Application()
      const status = new Router()
      status.get('/status/:id', answer('GET /sub/status/{id}'))
      sub.use(status.routes())

      app.use(router.routes())
      app.use(api.routes())
      app.use(mount('/sub', sub))
      connectRoutes(server, koaRoutes, { routes: { ...routes, apps: [{ app: sub, prefix: '/sub' }] }, app })
      const listening = app.listen(0, '127.0.0.1')
      await new Promise((resolve) => listening.once('listening', resolve))
      onTestFinished(() => {
        listening.closeAllConnections()
        listening.close()
      })
      return { router: server, app, origin: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` }
    },
  }
}
