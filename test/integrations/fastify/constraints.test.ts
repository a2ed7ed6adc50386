/** Routes with the same method and path but different constraints: a call reaches the route of its tool, or none. */

import type { FastifyServerOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { majors, mounted } from './constrained.js'

/** A strategy that uses the value of one header. */
const strategy = (name: string, header: string) => {
  const storage = () => {
    const known = new Map<unknown, never>()
    return {
      get: (key: unknown) => known.get(key) ?? null,
      set: (key: unknown, to: never) => void known.set(key, to),
    }
  }
  const deriveConstraint = (request: { headers: Record<string, unknown> }) => request.headers[header]
  return { name, storage, validate: () => {}, deriveConstraint }
}

const tenantByHeader = {
  constraints: { tenant: strategy('tenant', 'x-tenant') },
} as unknown as FastifyServerOptions

describe.each(majors)('$name', ({ create }) => {
  test('makes a tool of each version, with its own name', async () => {
    const { tools, call, list } = await mounted(create, (app, answer) => {
      app.get('/tasks', { constraints: { version: '1.2.0' } }, answer('1.2.0'))
      app.get('/tasks', { constraints: { version: '2' } }, answer('2'))
      app.get('/tasks', answer('none'))
      app.get('/users/:id', { constraints: { version: '1.0' } }, answer('user 1'))
      app.get('/users/:id', { constraints: { version: '2.0.0' } }, answer('user 2'))
    })
    expect(tools).toEqual([
      'get_tasks_v1_2_0',
      'get_tasks_v2',
      'get_tasks',
      'get_users_by_id_v1_0',
      'get_users_by_id_v2_0_0',
    ])
    const given = { 'accept-version': '2.0.0', host: 'elsewhere.example.com' }
    for (const headers of [{}, given]) {
      expect((await call('get_tasks_v1_2_0', {}, headers)).reached).toEqual(['1.2.0'])
      expect((await call('get_tasks_v2', {}, headers)).reached).toEqual(['2'])
      expect((await call('get_tasks', {}, headers)).reached).toEqual(['none'])
      expect((await call('get_users_by_id_v1_0', { id: '7' }, headers)).reached).toEqual(['user 1'])
      expect((await call('get_users_by_id_v2_0_0', { id: '7' }, headers)).reached).toEqual(['user 2'])
    }
    expect(list.find(({ name }) => name === 'get_tasks_v2')?.route).toMatchObject({
      path: '/tasks',
      constraints: { version: '2' },
    })
    expect(list.find(({ name }) => name === 'get_tasks')?.route).not.toHaveProperty('constraints')
  })

  test('refuses no value because of a route with another version or host', async () => {
    const { call } = await mounted(create, (app, answer) => {
      app.get('/users/:id', { constraints: { version: '1.0.0' } }, answer('1'))
      app.get('/users/me', { constraints: { version: '2.0.0' } }, answer('me of 2'))
      app.get('/tasks/:id', answer('task'))
      app.get('/tasks/new', { constraints: { host: 'a.example.com' } }, answer('new'))
    })
    expect((await call('get_users_by_id_v1_0_0', { id: 'me' })).reached).toEqual(['1'])
    expect((await call('get_tasks_by_id', { id: 'new' }, { host: 'b.example.com' })).reached).toEqual([
      'task',
    ])
    const refused = await call('get_tasks_by_id', { id: 'new' }, { host: 'a.example.com' })
    expect(refused).toMatchObject({ reached: [], isError: true })
  })

  test('lets no argument select the version or the host', async () => {
    const headers = {
      type: 'object',
      properties: {
        'accept-version': { type: 'string' },
        host: { type: 'string' },
        'x-colour': { type: 'string' },
      },
    }
    const described = { schema: { headers }, config: { mcp: { headers: ['x-colour'] } } }
    const { router, call } = await mounted(create, (app, answer) => {
      app.get('/tasks', { constraints: { version: '1.0.0' }, ...described }, answer('1'))
      app.get('/tasks', { constraints: { version: '2.0.0' } }, answer('2'))
      app.get('/hosts', { constraints: { host: 'a.example.com' }, ...described }, answer('a'))
      app.get('/hosts', described, answer('any'))
    })
    for (const name of ['get_tasks_v1_0_0', 'get_hosts', 'get_hosts_host_a_example_com']) {
      const { inputSchema } = router.get('tool', name) ?? {}
      expect(Object.keys(Object(inputSchema).properties)).toEqual(['x-colour'])
    }
    const args = { 'accept-version': '2.0.0', host: 'a.example.com' }
    expect((await call('get_tasks_v1_0_0', args)).reached).not.toContain('2')
    expect((await call('get_hosts', args)).reached).not.toContain('a')
  })

  test('sends the host of the route, and refuses callers of a host that another route has', async () => {
    const { tools, call } = await mounted(
      create,
      (app, answer) => {
        app.get('/x', answer('any'))
        app.get('/x', { constraints: { host: 'a.example.com' } }, answer('a'))
        app.get('/x', { constraints: { host: 'a.example.com', version: '2.0.0' } }, answer('a 2'))
      },
      { options: { trustProxy: true } },
    )
    expect(tools).toEqual(['get_x', 'get_x_host_a_example_com', 'get_x_host_a_example_com_v2_0_0'])
    for (const host of ['b.example.com', 'a.example.com']) {
      const headers = { host, 'x-forwarded-host': host }
      expect((await call('get_x_host_a_example_com', {}, headers)).reached).toEqual(['a'])
      expect((await call('get_x_host_a_example_com_v2_0_0', {}, headers)).reached).toEqual(['a 2'])
    }
    expect((await call('get_x', {}, { host: 'b.example.com' })).reached).toEqual(['any'])
    const refused = await call('get_x', {}, { host: 'a.example.com' })
    expect(refused).toMatchObject({ reached: [], isError: true })
    expect(refused.text).toContain('GET /x (host a.example.com)')
  })

  test("calls a route whose host is a pattern only if the caller's host matches", async () => {
    const { tools, call } = await mounted(create, (app, answer) => {
      app.get('/x', { constraints: { host: /^\w+\.example\.com$/ } }, answer('tenant'))
      app.get('/x', { constraints: { host: 'b.example.com' } }, answer('b'))
      app.get('/x', answer('any'))
    })
    const [tool = ''] = tools
    expect(tools).toHaveLength(3)
    for (let times = 0; times < 3; times++) {
      expect((await call(tool, {}, { host: 'a.example.com' })).reached).toEqual(['tenant'])
    }
    const elsewhere = await call(tool, {}, { host: 'localhost' })
    expect(elsewhere).toMatchObject({ reached: [], isError: true })
    expect(elsewhere.text).toMatch(/host.*localhost/)
    expect((await call(tool, {}, { host: 'b.example.com' })).reached).toEqual([])
    expect((await call('get_x', {}, { host: 'a.example.com' })).reached).toEqual([])
    expect((await call('get_x', {}, { host: 'localhost' })).reached).toEqual(['any'])
  })

  test('makes no tool of a route whose host is a stateful pattern', async () => {
    const { tools, reasons } = await mounted(create, (app, answer) => {
      app.get('/x', { constraints: { host: /^\w+\.example\.com$/g } }, answer('tenant'))
    })
    expect(tools).toEqual([])
    expect(reasons).toEqual([expect.stringContaining('whose flags')])
  })

  test('makes no tool of a route with a custom strategy, nor of one that such a route may shadow', async () => {
    const { tools, reasons } = await mounted(
      create,
      (app, answer) => {
        app.get('/x', answer('any'))
        app.get('/x', { constraints: { tenant: 'acme' } } as object, answer('acme'))
        app.get('/y', { constraints: { tenant: 'acme', version: '1.0.0' } } as object, answer('y'))
        app.get('/:any/rest', { constraints: { tenant: 'acme' } } as object, answer('rest'))
        app.get('/z/rest', answer('z'))
        app.get('/z', answer('z'))
        app.post('/x', answer('post'))
      },
      { options: tenantByHeader, routes: { forwardHeaders: ['x-tenant'] } },
    )
    expect(tools).toEqual(['get_z', 'post_x'])
    const own = expect.stringMatching(/^its constraint `tenant` uses a custom strategy of the app/)
    const maybe = (label: string) =>
      expect.stringContaining(`may also match ${label}, which uses the custom strategy`)
    expect(reasons).toEqual([
      maybe('GET /x (tenant acme)'),
      own,
      own,
      own,
      maybe('GET /{any}/rest (tenant acme)'),
    ])
  })

  test('recognizes a custom strategy with the name of a built-in one', async () => {
    const byAccept = {
      constraints: { version: strategy('version', 'accept') },
    } as unknown as FastifyServerOptions
    const { tools, reasons } = await mounted(
      create,
      (app, answer) => {
        app.get('/x', { constraints: { version: 'v1' } }, answer('1'))
        app.get('/x', { constraints: { host: 'a.example.com' } }, answer('a'))
        app.get('/x', { constraints: { version: 'v2' } }, answer('2'))
        app.get('/y', { constraints: { host: 'a.example.com' } }, answer('a'))
      },
      { options: byAccept },
    )
    expect(tools).toEqual(['get_y_host_a_example_com'])
    expect(reasons).toEqual([0, 1, 2].map(() => expect.stringContaining('`version`')))
  })

  test.each<object>([{ host: 'b.example.com' }, { host: 'c.example.com' }, { 'accept-version': '1.0.0' }])(
    'refuses a request that `prepare` changed to match another route: %j',
    async (changed) => {
      const prepare = ({ headers }: { headers: object }) => void Object.assign(headers, changed)
      const { call } = await mounted(
        create,
        (app, answer) => {
          app.get('/x', { constraints: { host: 'a.example.com' } }, answer('a'))
          app.get('/x', { constraints: { host: 'b.example.com' } }, answer('b'))
          app.get('/x', { constraints: { version: '1.0.0' } }, answer('1'))
          app.get('/x', answer('any'))
        },
        { routes: { prepare } as object },
      )
      const refused = await call('get_x_host_a_example_com')
      expect(refused).toMatchObject({ reached: [], isError: true })
      expect(refused.text).toContain('another route, or none')
    },
  )

  test('refuses a call whose version `prepare` removed', async () => {
    const prepare = ({ headers }: { headers: Record<string, string> }) =>
      void Reflect.deleteProperty(headers, 'accept-version')
    const { call } = await mounted(
      create,
      (app, answer) => {
        app.get('/x', { constraints: { version: '1.0.0' } }, answer('1'))
        app.get('/x', answer('any'))
      },
      { routes: { prepare } as object },
    )
    expect(await call('get_x_v1_0_0')).toMatchObject({ reached: [], isError: true })
    expect((await call('get_x')).reached).toEqual(['any'])
  })

  test('refuses a forwarded version for a route without one, which Fastify would route elsewhere', async () => {
    const { call } = await mounted(
      create,
      (app, answer) => {
        app.get('/:any/:id', { constraints: { version: '1.0.0' } }, answer('any'))
        app.get('/c/:id', answer('c'))
      },
      { routes: { forwardHeaders: ['accept-version'] } },
    )
    const refused = await call('get_c_by_id', { id: '1' }, { 'accept-version': '1.0.0' })
    expect(refused).toMatchObject({ reached: [], isError: true })
    expect((await call('get_c_by_id', { id: '1' })).reached).toEqual(['c'])
  })

  test('leaves the routes unchanged for all other clients', async () => {
    const { app } = await mounted(create, (scope, answer) => {
      const onRequest = [async () => {}]
      scope.get('/x', { constraints: { host: 'a.example.com' }, onRequest }, answer('a'))
      scope.get('/x', answer('any'))
      expect(onRequest).toHaveLength(1)
    })
    const get = async (host: string) => (await app.inject({ url: '/x', headers: { host } })).json()
    expect(await get('a.example.com')).toEqual({ answer: 'a' })
    expect(await get('b.example.com')).toEqual({ answer: 'any' })
  })
})
