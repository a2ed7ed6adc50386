/** Routes that call tools of their own app would call without end. */

import { expect, it } from 'vitest'
import { InnerExchange } from '../../../integrations/node/inject/exchange.js'
import { envelope, mirror, rpc } from '../../contract/clients.js'
import { expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { namesOf, read, type Served, serveRoutes } from './serve.js'

/** Asks the endpoint in process, as a route may that knows its own app. */
async function askInside({ listener, origin }: Served, name: string) {
  const params = { name, arguments: {}, _meta: envelope }
  const headers = { ...mirror('tools/call', params), 'Content-Type': 'application/json' }
  const request = {
    method: 'POST',
    url: '/mcp',
    headers: {
      host: new URL(origin).host,
      ...Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), `${value}`])),
    },
    body: JSON.stringify(rpc('tools/call', params)),
    signal: new AbortController().signal,
    maxBytes: 100_000,
  }
  const { status, body } = await new InnerExchange(request, undefined).run(listener)
  return { status, answer: JSON.parse(Buffer.from(body).toString()) }
}

export function loops(host: RouteHost): void {
  it('refuses every tool to a route that runs as a tool, and to no other', async () => {
    const inner: ApiRoute = {
      method: 'get',
      path: '/ask/:name',
      marker: { name: 'ask' },
      run: async ({ params }) => ({ body: await askInside(served, params.name ?? '') }),
    }
    const served: Served = await serveRoutes(host, [inner])
    served.router.tool('plain', { description: 'Of no route', handler: () => 'plain' })
    for (const name of ['plain', 'ask']) {
      const { status, answer } = JSON.parse(expectText(await served.as().call('ask', { name })))
      expect(status).toBe(400)
      expect(answer.error).toMatchObject({
        code: -32600,
        message: expect.stringContaining('the tool ask called a tool of its own app'),
      })
    }
    // The same route over HTTP is no tool call, and asks for what it likes.
    const direct = await (await fetch(`${served.origin}/ask/plain`)).json()
    expect(direct).toMatchObject({ status: 200, answer: { result: { content: [{ text: 'plain' }] } } })
  })

  it('refuses a route that calls the tool of a route by the router', async () => {
    const { as, router } = await serveRoutes(host, [
      { method: 'get', path: '/b', marker: { name: 'b' }, run: () => ({ body: 'b' }) },
      {
        method: 'get',
        path: '/a',
        marker: { name: 'a' },
        run: async () => ({ body: (await router.call('b')) as object }),
      },
    ])
    expect(read(await as().call('b', {})).text).toBe('b')
    expect(read(await as().call('a', {}))).toMatchObject({ isError: true })
  })

  it('has no tool of its own endpoint, whatever is included', async () => {
    const { as } = await serveRoutes(host, [{ method: 'get', path: '/x', run: () => ({}) }], {
      options: { routes: { include: ['* /**'] } },
    })
    expect(await namesOf(as())).toEqual(['get_x'])
  })
}
