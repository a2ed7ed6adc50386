/** The golden API in Express. Only the path syntax differs between major versions. */

import type express5 from 'express'
import type { Request, Response } from 'express'
import { asTool, mcp } from 'mcp-router/express'
import { listening } from '../integrations/express/host.js'
import type { GoldenHost } from './golden.js'

type ExpressModule = typeof express5

interface Spelling {
  readonly optionalYear: string
  readonly assets: string
}

const four: Spelling = { optionalYear: '/archive/:year?', assets: '/assets/*' }
const five: Spelling = { optionalYear: '/archive{/:year}', assets: '/assets/*splat' }

export function expressGolden(name: string, express: ExpressModule): GoldenHost {
  const spelling = name.startsWith('express 4') ? four : five
  return {
    name,
    async start(routes, router) {
      const app = express()
      const sub = express()
      app.use(mcp(router, { routes: { ...routes, apps: [sub] } }))
      app.use(express.json())
      const answer = (route: string) => (req: Request, res: Response) =>
        void res.json({ route, params: { ...req.params } })

      app.get('/tasks', answer('GET /tasks')).post('/tasks', answer('POST /tasks'))
      app
        .route('/tasks/:id')
        .get(answer('GET /tasks/{id}'))
        .put(answer('PUT /tasks/{id}'))
        .patch(answer('PATCH /tasks/{id}'))
        .delete(answer('DELETE /tasks/{id}'))

      const api = express.Router()
      const users = express.Router()
      users.get('/', answer('GET /api/v1/users'))
      users.get('/:userId', answer('GET /api/v1/users/{userId}'))
      users.post('/:userId/avatar', answer('POST /api/v1/users/{userId}/avatar'))
      api.use('/users', users)
      app.use('/api/v1', api)

      const members = express.Router({ mergeParams: true })
      members.get('/', answer('GET /orgs/{org}/members'))
      members.get('/:id', answer('GET /orgs/{org}/members/{id}'))
      members.delete('/:id', answer('DELETE /orgs/{org}/members/{id}'))
      app.use('/orgs/:org/members', members)

      app.get(['/colours', '/colors'], (req, res) => void res.json({ route: `GET ${req.path}`, params: {} }))
      app.get(spelling.optionalYear, answer('GET /archive/{year}'))
      app.get('/ranges/:from-:to', answer('GET /ranges/{from}-{to}'))
      app.get('/files/:name.json', answer('GET /files/{name}.json'))
      app.get('/robots.txt', answer('GET /robots.txt'))
      app.post('/payments', asTool({ name: 'pay' }), answer('POST /payments'))
      app.get('/internal/health', answer('GET /internal/health'))
      app.get('/secret', asTool({ hidden: true }), answer('GET /secret'))
      app.all('/anything', answer('ALL /anything'))
      app.get(spelling.assets, answer('GET /assets/*'))
      app.get(/^\/rx\/\d+$/, answer('GET /rx'))

      sub.get('/status/:id', answer('GET /sub/status/{id}'))
      app.use('/sub', sub)

      const long = '/a/resource/named/with/patience/and/care/by/people/of/taste/:resourceIdentifier'
      app.get(long, answer(`GET ${long.replace(':resourceIdentifier', '{resourceIdentifier}')}`))
      const { origin } = await listening(app)
      return { router, app, origin }
    },
  }
}
