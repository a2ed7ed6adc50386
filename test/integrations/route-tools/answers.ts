/** What a route answers is what the model reads: by status, by type, by size. */

import createError from 'http-errors'
import { expect, it } from 'vitest'
import { expectResult } from '../../contract/expect.js'
import type { Answered, ApiRoute, RouteHost } from './host.js'
import { read, serveRoutes } from './serve.js'

const page = `<html><head><title>Error</title></head><body><pre>Error: boom
    at handler (/srv/app/routes.js:12:3)</pre></body></html>`

/** By the name of the tool: what the route does, and what the model reads. */
const refusals: Readonly<
  Record<string, { run: () => Answered; reads: string | RegExp; status?: number; isError?: boolean }>
> = {
  bad_login: {
    run: () => ({ status: 401, body: { message: 'No session' } }),
    reads: '401 Unauthorized: No session',
  },
  forbidden: {
    run: () => ({ status: 403, body: { error: 'Admins only' } }),
    reads: '403 Forbidden: Admins only',
  },
  missing: {
    run: () => ({ status: 404, body: { message: 'No task 7' } }),
    reads: '404 Not Found: No task 7',
  },
  conflict: { run: () => ({ status: 409, body: 'Taken already' }), reads: '409 Conflict: Taken already' },
  thrown: {
    run: () => {
      throw createError(409, 'Thrown by the handler')
    },
    reads: /^409 Conflict: .*Thrown by the handler$/,
  },
  invalid: {
    run: () => ({
      status: 422,
      body: { message: 'Validation failed', errors: [{ path: 'title', msg: 'is required' }] },
    }),
    reads: '422 Unprocessable Content: Validation failed\n- title: is required',
  },
  too_many: {
    run: () => ({ status: 429, headers: { 'Retry-After': '30' }, body: { message: 'Slow down' } }),
    reads: '429 Too Many Requests: Slow down. Try again in 30 seconds.',
  },
  closed: {
    run: () => ({ status: 503, headers: { 'Retry-After': '5' }, body: { message: 'db01 is down' } }),
    reads: '503 Service Unavailable. Try again in 5 seconds.',
  },
  refusing_page: {
    run: () => ({ status: 400, headers: { 'Content-Type': 'text/html' }, body: page }),
    reads: /^400 Bad Request: Error: boom$/,
  },
  failing_page: {
    run: () => ({ status: 500, headers: { 'Content-Type': 'text/html' }, body: page }),
    reads: /^Internal error/,
  },
  fault: {
    run: () => {
      throw new Error('password of db01 is hunter2')
    },
    reads: /^Internal error/,
  },
  gateway: { run: () => ({ status: 502, body: { message: 'db01 refused' } }), reads: /^Internal error/ },
}

const secrets = /hunter2|db01|<html|<pre|\n\s+at |\.[jt]s:\d+|node_modules/

export function answers(host: RouteHost): void {
  const toRoute = ([name, { run }]: [string, { run: ApiRoute['run'] }]): ApiRoute => ({
    method: 'get',
    path: `/${name}`,
    marker: { name },
    run,
  })

  it('tells of every refusal in words, and of no inside', async () => {
    const served = await serveRoutes(host, Object.entries(refusals).map(toRoute), {
      server: { exposeErrors: false },
    })
    for (const [name, { reads }] of Object.entries(refusals)) {
      const answer = await served.as().call(name, {})
      const { text, isError } = read(answer)
      expect(isError, name).toBe(true)
      if (typeof reads === 'string') expect(text, name).toBe(reads)
      else expect(text, name).toMatch(reads)
      expect(answer.text, name).not.toMatch(secrets)
    }
  })

  it('keeps the HTTP status of a refusal that says how to log in', async () => {
    const challenge = 'Bearer realm="api", error="invalid_token"'
    const { as } = await serveRoutes(
      host,
      [401, 403].map((status) => ({
        method: 'get',
        path: `/s${status}`,
        marker: { name: `s${status}` },
        run: () => ({ status, headers: { 'WWW-Authenticate': challenge }, body: { message: 'no' } }),
      })),
    )
    for (const status of [401, 403]) {
      const answer = await as().call(`s${status}`, {})
      expect(answer.status).toBe(status)
      expect(answer.headers['www-authenticate']).toBe(challenge)
    }
  })

  it('carries every kind of answer', async () => {
    const pixel = Buffer.from('iVBORw0KGgo=', 'base64')
    const kinds: Record<string, Answered> = {
      json: { body: { a: [1, 2] } },
      words: { headers: { 'Content-Type': 'text/plain' }, body: 'just words' },
      nothing: { status: 204 },
      moved: { status: 302, headers: { Location: '/tasks/7' } },
      picture: { headers: { 'Content-Type': 'image/png' }, body: pixel },
      bytes: { headers: { 'Content-Type': 'application/pdf' }, body: Buffer.from('%PDF-') },
    }
    const { as } = await serveRoutes(
      host,
      Object.entries(kinds).map(([name, answered]) => toRoute([name, { run: () => answered }])),
    )
    const contents: Record<string, unknown> = {}
    for (const name of Object.keys(kinds)) {
      const { content, isError } = expectResult(await as().call(name, {}))
      expect(isError).toBeUndefined()
      contents[name] = content
    }
    expect(contents).toEqual({
      json: [{ type: 'text', text: '{"a":[1,2]}' }],
      words: [{ type: 'text', text: 'just words' }],
      nothing: [],
      moved: [{ type: 'text', text: '302 to /tasks/7' }],
      picture: [{ type: 'image', data: pixel.toString('base64'), mimeType: 'image/png' }],
      bytes: [
        {
          type: 'resource',
          resource: {
            uri: 'route:/bytes',
            mimeType: 'application/pdf',
            blob: Buffer.from('%PDF-').toString('base64'),
          },
        },
      ],
    })
  })

  it('answers what a schema promises as data, and says so where it does not hold', async () => {
    const response = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const { as } = await serveRoutes(host, [
      { method: 'get', path: '/good', marker: { name: 'good', response }, run: () => ({ body: { n: 1 } }) },
      { method: 'get', path: '/bad', marker: { name: 'bad', response }, run: () => ({ body: { n: 'one' } }) },
    ])
    expect(expectResult(await as().call('good', {}))).toMatchObject({ structuredContent: { n: 1 } })
    const drifted = expectResult(await as().call('bad', {}))
    expect(drifted).toMatchObject({ isError: true, content: [{ text: '{"n":"one"}' }] })
    expect(drifted).not.toHaveProperty('structuredContent')
  })

  it('cuts what is too large between two items, and says how to ask for less', async () => {
    const items = Array.from({ length: 5_000 }, (_, id) => ({ id, title: 'a title of some length' }))
    const query = { type: 'object', properties: { limit: { type: 'integer' } } } as const
    const { as } = await serveRoutes(
      host,
      [{ method: 'get', path: '/items', marker: { name: 'items', query }, run: () => ({ body: { items } }) }],
      { options: { routes: { maxResultBytes: 2_000 } } },
    )
    const { content } = expectResult(await as().call('items', {}))
    const shown = JSON.parse(content[0].text).items
    expect(shown).toEqual(items.slice(0, shown.length))
    expect(shown.length).toBeGreaterThan(10)
    expect(content[0].text.length).toBeLessThanOrEqual(2_000)
    expect(content[1].text).toMatch(/^Only the first \d+ items are shown; there are .*\. .*limit/)
  })
}
