/** When the routes of an app are read. */

import { McpRouter } from 'mcp-router'
import { expect, test, vi } from 'vitest'
import { type AnyRouteOptions, connectRoutes } from '../../src/internal.js'
import { parseOpenApi } from '../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../src/routes/discovery/path-template.js'
import type { Discovered, Route } from '../../src/routes/route.js'
import { quiet } from '../contract/host.js'

const route = (path: string): Route => ({
  framework: 'express',
  method: 'GET',
  template: toTemplate(parseOpenApi(path)),
  guards: [],
  handlerName: '',
  marker: undefined,
  schema: undefined,
})

function connected(routes: AnyRouteOptions, { marked }: { marked?: boolean } = {}) {
  const warn = vi.fn()
  const router = new McpRouter<object>({ logger: { ...quiet, warn } })
  router.tool('own', { description: 'd', handler: () => 'own' })
  const app = {}
  const found: Route[] = [route('/x')]
  const fingerprint = vi.fn(() => found.length)
  const discover = vi.fn((): Discovered => ({ routes: found, unread: [] }))
  const dispatch = async () => ({ status: 204, headers: {}, body: new Uint8Array(), truncated: false })
  const source = { fingerprint, discover, dispatch, ...(marked !== undefined && { marked: () => marked }) }
  connectRoutes(
    router,
    { rootOf: (one) => (one === app ? app : undefined), open: () => source },
    { routes, app },
  )
  const request = (method: string, params: object = {}) =>
    router.handle({ jsonrpc: '2.0', id: 1, method, params }) as Promise<unknown>
  return { router, app, found, fingerprint, discover, request, warn }
}

test('an app is read once, and again when its routes change', async () => {
  const { request, discover, found, router } = connected({ include: ['/**'] })
  await request('tools/list')
  await request('tools/list')
  expect(discover).toHaveBeenCalledTimes(1)
  found.push(route('/y'))
  await request('tools/list')
  expect(discover).toHaveBeenCalledTimes(2)
  expect(router.has('tool', 'get_y')).toBe(true)
})

test('an app without markers and patterns is read only for reports', async () => {
  const { request, discover, router } = connected({}, { marked: false })
  await request('tools/list')
  expect(discover).not.toHaveBeenCalled()
  expect(router.list().map(({ name, kind }) => [kind, name])).toEqual([
    ['tool', 'own'],
    ['route', 'GET /x'],
  ])
  expect(discover).toHaveBeenCalledTimes(1)
})

test("the first call finds its route, and calls of tools that aren't routes read no apps", async () => {
  const { router, fingerprint, discover } = connected({ include: ['/x'] })
  expect(await router.call('get_x')).toEqual({ content: [] })
  await router.call('get_x')
  expect(discover).toHaveBeenCalledTimes(1)
  fingerprint.mockClear()
  await router.call('own')
  expect(fingerprint).not.toHaveBeenCalled()
})

test("a call of a route's tool notices changes of the app since the last list", async () => {
  const { router, found } = connected({ include: ['/*'] })
  found.splice(0, 1, route('/{id}'))
  expect(await router.call('get_by_id', { id: 'x' })).toEqual({ content: [] })
  found.unshift({ ...route('/x'), schema: { source: 'fastify', hidden: true } })
  expect(await router.call('get_by_id', { id: 'x' })).toMatchObject({ isError: true })
  found.splice(1, 1, route('/other'), route('/another'))
  await expect(router.call('get_by_id', { id: 'y' })).rejects.toThrow(/get_by_id/)
})

test('an app that can no longer be read has no tools', async () => {
  const { router, found, discover } = connected({ include: ['/*'] })
  expect(await router.call('get_x')).toEqual({ content: [] })
  discover.mockImplementation(() => {
    throw new Error('the table is gone')
  })
  found.push(route('/y'))
  await expect(router.call('get_x')).rejects.toThrow(/get_x/)
})

test('an app that cannot be read causes a warning, without affecting others', async () => {
  const { request, discover, warn, router } = connected({ include: ['/x'] })
  discover.mockImplementation(() => {
    throw new Error('the table is gone')
  })
  expect(await request('tools/list')).toMatchObject({ result: { tools: [{ name: 'own' }] } })
  expect(warn).toHaveBeenCalledWith('routes: the app cannot be read: the table is gone')
  expect((await router.call('own')).content).toMatchObject([{ text: 'own' }])
})

test('an app that no mount can read is rejected', () => {
  const { router } = connected({})
  expect(() => router.list({ app: { another: true } })).toThrow('expected an app of the framework')
})
