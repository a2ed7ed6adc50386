/** The options of a marker apply to the route's tool as to any other tool. */

import express, { type Request, type Response } from 'express'
import { McpRouter } from 'mcp-router'
import { asTool, mcp } from 'mcp-router/express'
import multer from 'multer'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { quiet } from '../../contract/host.js'

const ok = (req: Request, res: Response): void =>
  void res.json({ params: req.params, query: req.query, body: req.body ?? null, headers: req.headers })

const setUp = (routes: object = {}) => {
  const router = new McpRouter<{ user: { id: string } | undefined }>({ logger: quiet })
  const app = express()
  app.use(mcp(router, { routes }))
  app.use(express.json())
  return { router, app }
}
const answer = (result: { content: object[] }) => JSON.parse((result.content[0] as { text: string }).text)

test('visibility and authorization', async () => {
  const { router, app } = setUp()
  app.get('/mine', asTool({ requireUser: true }), ok)
  app.get('/hers', asTool({ visible: ({ user }) => (user as { id: string } | undefined)?.id === 'ana' }), ok)
  router.list({ app })
  await expect(router.call('get_mine')).rejects.toThrow('Sign in')
  expect((await router.call('get_mine', {}, { user: { id: 'bob' } })).isError).not.toBe(true)
  await expect(router.call('get_hers', {}, { user: { id: 'bob' } })).rejects.toThrow('there is no tool')
  expect((await router.call('get_hers', {}, { user: { id: 'ana' } })).isError).not.toBe(true)
})

test('middleware around its call, and the router’s own outside of it', async () => {
  const { router, app } = setUp()
  const order: string[] = []
  router.use((_call, next) => {
    order.push('router')
    return next()
  })
  app.get(
    '/x',
    asTool({
      use: [
        (call, next) => {
          order.push(`own ${call.name}`)
          return next()
        },
      ],
    }),
    (_req, res) => {
      order.push('route')
      res.json({})
    },
  )
  router.list({ app })
  await router.call('get_x')
  expect(order).toEqual(['router', 'own get_x', 'route'])
})

test('its time limit ends the request inside', async () => {
  const { router, app } = setUp()
  const closed = vi.fn()
  const ended = new Promise<void>((resolve) => {
    app.get('/slow', asTool({ timeoutMs: 20 }), (_req, res) => {
      res.on('close', () => {
        closed()
        resolve()
      })
    })
  })
  router.list({ app })
  const called = await router.call('get_slow')
  expect(called).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('20 ms') }] })
  await ended
  expect(closed).toHaveBeenCalledTimes(1)
})

test('annotations, in either spelling, over those of the method', () => {
  const { router, app } = setUp()
  app.get('/count', asTool({ annotations: { readOnlyHint: false, openWorld: true } }), ok)
  app.delete('/soft', asTool({ annotations: { destructive: false } }), ok)
  app.post('/plain', asTool(), ok)
  router.list({ app })
  const annotations = (name: string) => router.get('tool', name)?.annotations
  expect(annotations('get_count')).toEqual({ readOnlyHint: false, openWorldHint: true })
  expect(annotations('delete_soft')).toEqual({ destructiveHint: false, idempotentHint: true })
  expect(annotations('post_plain')).toBeUndefined()
})

test('schemas of any library for the parts of its request', async () => {
  const { router, app } = setUp({ forwardHeaders: ['x-tenant-id'] })
  app.post(
    '/orgs/:org/tasks',
    asTool({
      title: 'Add a task',
      params: z.object({ org: z.string().min(2) }),
      query: z.object({ notify: z.boolean().optional() }),
      body: z.object({ title: z.string(), tags: z.array(z.string()).default([]) }),
    }),
    ok,
  )
  router.list({ app })
  expect(router.get('tool', 'post_orgs_by_org_tasks')).toMatchObject({
    title: 'Add a task',
    inputSchema: {
      properties: { org: { minLength: 2 }, notify: { type: 'boolean' }, title: { type: 'string' }, tags: {} },
    },
    route: { schemaSource: 'marker', method: 'POST', path: '/orgs/{org}/tasks' },
  })
  const request = {
    method: 'POST',
    url: '/mcp',
    headers: { 'x-tenant-id': 't1', authorization: 'Bearer a', 'x-other': 'o' },
    ip: undefined,
    raw: undefined,
  }
  const called = await router.call(
    'post_orgs_by_org_tasks',
    { org: 'acme', notify: true, title: 'Write', tags: ['a'] },
    { request },
  )
  const { params, query, body, headers } = answer(called)
  expect({ params, query, body }).toEqual({
    params: { org: 'acme' },
    query: { notify: 'true' },
    body: { title: 'Write', tags: ['a'] },
  })
  expect(headers).toMatchObject({
    'x-tenant-id': 't1',
    authorization: 'Bearer a',
    'content-type': 'application/json',
  })
  expect(headers).not.toHaveProperty('x-other')
  const wrong = await router.call('post_orgs_by_org_tasks', { org: 'a', title: 'x' })
  expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('org') }] })
})

test('the media type of its body, which multer implies', async () => {
  const { router, app } = setUp()
  const fields = { type: 'object', properties: { title: { type: 'string' } } } as const
  const form = 'application/x-www-form-urlencoded'
  const show = (req: Request, res: Response): void =>
    void res.json({ type: req.headers['content-type']?.split(';')[0], body: req.body })
  app.post('/files', asTool({ body: fields }), multer().none(), show)
  app.post('/form', asTool({ body: fields, consumes: form }), express.urlencoded(), show)
  app.post('/json', asTool({ body: fields }), show)
  router.list({ app })
  const seen = async (name: string) => answer(await router.call(name, { title: 'x y' }))
  const body = { title: 'x y' }
  expect(await seen('post_files')).toEqual({ type: 'multipart/form-data', body })
  expect(await seen('post_form')).toEqual({ type: form, body })
  expect(await seen('post_json')).toEqual({ type: 'application/json', body })
})

test('one that cannot be served is reported by name, without affecting others', async () => {
  const { router, app } = setUp()
  app.get('/bad', asTool({ name: 'not a name' }), ok)
  app.get('/good', asTool(), ok)
  const routes = router.list({ app }).map(({ name, route }) => [name, route?.reason])
  expect(routes).toEqual([
    ['get_good', undefined],
    ['GET /bad', expect.stringContaining('"not a name"')],
  ])
  await expect(router.ready()).rejects.toThrow('not a name')
})

test('a tool that the app updated stays updated when routes are added', () => {
  const { router, app } = setUp()
  app.get('/x', asTool({ description: 'first' }), ok)
  router.list({ app })
  router.get('tool', 'get_x')?.update({ description: 'second' })
  app.get('/y', asTool(), ok)
  expect(router.list().map(({ name }) => name)).toEqual(['get_x', 'get_y'])
  expect(router.get('tool', 'get_x')).toMatchObject({ description: 'second', route: { path: '/x' } })
})

test('the tools of a mounted router get its prefix', async () => {
  const { router, app } = setUp()
  app.get('/x', asTool(), ok)
  const outer = new McpRouter<{ user: { id: string } | undefined }>({ logger: quiet })
  outer.use('api', router)
  router.list({ app })
  app.get('/late', asTool(), ok)
  expect((await outer.call('api_get_late')).isError).not.toBe(true)
  expect(outer.has('tool', 'api_get_x')).toBe(true)
})

test('the selections of two mounts of one router in one app are combined', () => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = express()
  app.use('/a', mcp(router, { routes: { include: ['/x'] }, app }))
  app.use('/b', mcp(router, { routes: { include: ['/y'], exclude: ['/x'] }, app }))
  app.get('/x', ok).get('/y', ok).get('/z', ok)
  expect(router.list().map(({ name, kind }) => [kind, name])).toEqual([
    ['tool', 'get_x'],
    ['tool', 'get_y'],
    ['route', 'GET /z'],
  ])
})
