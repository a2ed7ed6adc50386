/** Which routes are tools, what their markers say, and how many of them a model sees. */

import { expect, it } from 'vitest'
import { legacy, modern } from '../../contract/clients.js'
import { expectResult, expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { ana, namesOf, read, serveRoutes, toolsOf } from './serve.js'

const route = (path: string, more: Partial<ApiRoute> = {}): ApiRoute => ({
  method: 'get',
  path,
  run: () => ({ body: path }),
  ...more,
})

const confirm = 'mcp-router/confirm'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

async function serveConfirmed(host: RouteHost) {
  const done: unknown[] = []
  const pay = route('/pay/:sum', {
    method: 'post',
    marker: { name: 'pay', confirm: true },
    run: ({ params }) => {
      done.push(params.sum)
      return {}
    },
  })
  return { ...(await serveRoutes(host, [pay])), done }
}

export function exposure(host: RouteHost): void {
  it('has marked and included routes as tools, and no others', async () => {
    const { as, router } = await serveRoutes(
      host,
      [
        route('/tasks'),
        route('/tasks/:id', { method: 'delete' }),
        route('/tasks/internal/keys', { marker: { name: 'keys' } }),
        route('/tasks/secret', { marker: { hidden: true } }),
        route('/other'),
        route('/marked', { marker: {} }),
      ],
      { options: { routes: { include: ['/tasks/**'], exclude: ['/tasks/internal/**'] } } },
    )
    expect(await namesOf(as())).toEqual(['get_marked', 'get_tasks'])
    const reasons = router
      .list()
      .flatMap(({ route: { path, reason } = {} }) => (reason ? [[path, reason]] : []))
    expect(Object.fromEntries(reasons)).toMatchObject({
      '/tasks/{id}': 'neither marked nor included',
      '/tasks/internal/keys': 'excluded by "/tasks/internal/**"',
      '/tasks/secret': 'hidden',
      '/other': 'neither marked nor included',
    })
  })

  it('shows that a handler checks its caller where its marker or `routes.tools` says so', async () => {
    const { as, router } = await serveRoutes(
      host,
      [
        route('/orders', { method: 'post', marker: { name: 'marked', guarded: true } }),
        route('/orders/:id', { method: 'put', marker: { name: 'named' } }),
        route('/orders/:id', { method: 'delete', marker: { name: 'silent', guarded: false } }),
      ],
      { options: { routes: { tools: { 'PUT /orders/:id': { guarded: true } } } } },
    )
    expect(await namesOf(as())).toEqual(['marked', 'named', 'silent'])
    const checks = router.list().map(({ name, route: found }) => [name, found?.checksCaller])
    expect(Object.fromEntries(checks)).toMatchObject({ marked: 'yes', named: 'yes' })
    expect(Object.fromEntries(checks).silent).not.toBe('yes')
  })

  it('excludes every method of a path, unless the pattern names some', async () => {
    const { as } = await serveRoutes(
      host,
      [
        route('/admin/users'),
        route('/admin/users/:id', { method: 'delete' }),
        route('/admin/keys', { method: 'post', marker: {} }),
        route('/tasks/:id'),
        route('/tasks/:id', { method: 'put' }),
      ],
      { options: { routes: { include: ['* /**'], exclude: ['/admin/**', 'PUT /tasks/*'] } } },
    )
    expect(await namesOf(as())).toEqual(['get_tasks_by_id'])
  })

  it('refuses what would spell the address of an excluded or hidden route', async () => {
    const reached: string[] = []
    const watched = (path: string, more: Partial<ApiRoute> = {}): ApiRoute =>
      route(path, {
        ...more,
        run: () => {
          reached.push(path)
          return {}
        },
      })
    const { as } = await serveRoutes(
      host,
      [
        watched('/keys/:id/:part', { marker: { hidden: true } }),
        watched('/secret/me/:part'),
        watched('/:kind/:id/:part'),
      ],
      { options: { routes: { include: ['/**'], exclude: ['/secret/:id/**', '/a*/x/**'] } } },
    )
    const call = (kind: string, id = '1') => as().call('get_by_kind_by_id_by_part', { kind, id, part: '1' })
    for (const [kind, id] of [['secret'], ['SECRET'], ['keys'], ['api', 'x']] as const) {
      const { isError, text } = read(await call(kind, id))
      expect({ kind, isError, text }).toMatchObject({
        isError: true,
        text: expect.stringMatching(/is the address of another route/),
      })
    }
    expect(reached).toEqual([])
    expect(read(await call('open')).isError).toBe(false)
    expect(read(await as().call('get_secret_me_by_part', { part: '1' })).isError).toBe(false)
    expect(reached).toEqual(['/:kind/:id/:part', '/secret/me/:part'])
  })

  it('describes each by its method and its marker', async () => {
    const { as } = await serveRoutes(host, [
      route('/tasks/:id', { method: 'put', marker: { description: 'Replaces a task' } }),
      route('/tasks/:id', { method: 'delete', marker: { annotations: { destructive: false } } }),
    ])
    const [removed, replaced] = (await toolsOf(as())).sort((a, b) => (a.name < b.name ? -1 : 1))
    expect(replaced).toMatchObject({
      name: 'put_tasks_by_id',
      description: 'Replaces a task',
      annotations: { idempotentHint: true },
      inputSchema: { properties: { id: { type: 'string' } }, required: ['id'] },
    })
    expect(removed).toMatchObject({
      name: 'delete_tasks_by_id',
      description: 'DELETE /tasks/{id}',
      annotations: { destructiveHint: false, idempotentHint: true },
    })
  })

  it('lets a route that nobody described have a body', async () => {
    const { as } = await serveRoutes(
      host,
      [route('/notes/:id', { method: 'post', run: ({ params, body }) => ({ body: { params, body } }) })],
      { options: { routes: { include: ['POST /notes/*'] } } },
    )
    for (const body of [{ title: 'T', tags: ['a'] }, [1, 'a', null]]) {
      const sent = { id: '7', body }
      expect(JSON.parse(expectText(await as().call('post_notes_by_id', sent)))).toEqual({
        params: { id: '7' },
        body,
      })
    }
    expect(read(await as().call('post_notes_by_id', { id: '7' })).isError).toBe(false)
  })

  it('lets a route that nobody described have a query', async () => {
    const { as } = await serveRoutes(
      host,
      [route('/notes', { method: 'get', run: ({ query }) => ({ body: query }) })],
      { options: { routes: { include: ['/notes'] } } },
    )
    const query = { page: '2', tag: ['a', 'b'] }
    expect(JSON.parse(expectText(await as().call('get_notes', { query })))).toEqual(query)
    expect(expectText(await as().call('get_notes', {}))).toBe('{}')
    const refused = read(await as().call('get_notes', { query: { '_method[]': 'DELETE' } }))
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('"_method"') })
  })

  it('runs the middleware of a marker around the call', async () => {
    const seen: unknown[] = []
    const { as } = await serveRoutes(host, [
      route('/a/:id', {
        marker: {
          use: [
            (call, next) => {
              seen.push([call.name, call.input])
              return next()
            },
          ],
        },
      }),
    ])
    expect(expectText(await as().call('get_a_by_id', { id: '1' }))).toBe('/a/:id')
    expect(seen).toEqual([['get_a_by_id', { id: '1' }]])
  })

  it('asks the user before it does what has to be confirmed', async () => {
    const { url, done } = await serveConfirmed(host)
    const client = modern(url, { meta: { [capabilitiesKey]: { elicitation: {} } } })
    for (const action of ['decline', 'accept']) {
      const call = { name: 'pay', arguments: { sum: '7' } }
      const asked = expectResult(await client.request('tools/call', call))
      expect(asked.inputRequests[confirm].params.message).toContain('"sum": "7"')
      const answered = { inputResponses: { [confirm]: { action } }, requestState: asked.requestState }
      const { isError } = read(await client.request('tools/call', { ...call, ...answered }))
      expect({ isError, done }).toEqual({
        isError: action === 'decline',
        done: action === 'decline' ? [] : ['7'],
      })
    }
  })

  it('does nothing that has to be confirmed where nobody can be asked', async () => {
    const { as, url, done } = await serveConfirmed(host)
    const modern = await as().call('pay', { sum: '7' })
    expect(modern.json.error.data).toEqual({ requiredCapabilities: { elicitation: {} } })
    const { json } = await (await legacy(url)).call('pay', { sum: '7' })
    expect(json.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('elicitation') }],
    })
    expect(done).toEqual([])
  })

  it('notices routes that come later', async ({ skip }) => {
    const served = await serveRoutes(host, [route('/first', { marker: { name: 'first' } })])
    expect(await namesOf(served.as())).toEqual(['first'])
    if (served.add === undefined) return skip('Fastify takes no routes once it listens')
    served.add(route('/second', { marker: { name: 'second' } }))
    expect(await namesOf(served.as())).toEqual(['first', 'second'])
    expect(expectText(await served.as().call('second', {}))).toBe('/second')
  })

  it('lists three tools in the place of many, and those that are pinned', async () => {
    const many = Array.from({ length: 50 }, (_, n) => route(`/things/kind${n}`, { marker: {} }))
    const me = route('/me', {
      guarded: true,
      marker: { name: 'me', description: 'Who I am' },
      run: ({ user }) => ({ body: `${user?.id}` }),
    })
    const { as } = await serveRoutes(host, [...many, me], {
      server: { toolSearch: true, pinned: ['get_things_kind3'] },
    })
    expect(await namesOf(as(ana))).toEqual(['call_tool', 'describe_tool', 'get_things_kind3', 'search_tools'])
    const found = JSON.parse(expectText(await as(ana).call('search_tools', { query: 'who am I' })))
    expect(found.tools[0]).toMatchObject({ name: 'me', description: 'Who I am' })
    const described = JSON.parse(expectText(await as(ana).call('describe_tool', { name: 'me' })))
    expect(described).toMatchObject({ name: 'me', annotations: { readOnlyHint: true } })
    expect(expectText(await as(ana).call('call_tool', { name: 'me' }))).toBe('ana')
    expect(expectResult(await as().call('call_tool', { name: 'me' }))).toMatchObject({ isError: true })
  })
}
