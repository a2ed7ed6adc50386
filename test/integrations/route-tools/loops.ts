/** Routes that call tools of their own app would call without end. */

import { AsyncResource } from 'node:async_hooks'
import { Agent, createServer, IncomingMessage, request, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { InnerExchange } from '../../../integrations/node/inject/exchange.js'
import { envelope, mirror, rpc } from '../../contract/clients.js'
import { expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { namesOf, read, type Served, serveRoutes } from './serve.js'

/** As clients do that do not use `fetch`. */
function overNodeHttp(url: string, { body, ...init }: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, init as object, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('end', () => resolve(new Response(Buffer.concat(chunks), { status: res.statusCode ?? 0 })))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const passedOnOverNodeHttp: typeof overNodeHttp = (url, init) => overNodeHttp(url, init)

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function overKeptAlive(url: string, init: RequestInit): Promise<Response> {
  const before = await overNodeHttp(new URL('/', url).href, { agent } as RequestInit)
  await before.text()
  return overNodeHttp(url, { ...init, agent } as RequestInit)
}

const makers = {
  request: (socket: Socket) => new IncomingMessage(socket),
  response: (request: IncomingMessage) => new ServerResponse(request),
}

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
  const { status, body } = await new InnerExchange(request, { makers, outer: undefined }).run(
    listener,
    () => {},
  )
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

  it.each([
    ['fetch', (url: string, init: RequestInit) => fetch(url, init)],
    ['node:http', overNodeHttp],
    ['node:http, on a connection that others used before', overKeptAlive],
    ['node:http, where the route passes the header on', passedOnOverNodeHttp],
  ])('refuses a route that calls a tool of its app over the network by %s', async (_, send) => {
    const calls: unknown[] = []
    const outer: ApiRoute = {
      method: 'get',
      path: '/again',
      marker: { name: 'again' },
      run: async ({ headers }) => {
        calls.push(headers['mcp-router-loop'])
        const params = { name: 'again', arguments: {}, _meta: envelope }
        const passedOn =
          send === passedOnOverNodeHttp ? { 'mcp-router-loop': `${headers['mcp-router-loop']}` } : {}
        const response = await send(`${served.origin}/mcp`, {
          method: 'POST',
          headers: {
            ...mirror('tools/call', params),
            ...passedOn,
            'Content-Type': 'application/json',
          } as Record<string, string>,
          body: JSON.stringify(rpc('tools/call', params)),
        })
        return { body: { status: response.status, answer: (await response.json()) as object } }
      },
    }
    const served: Served = await serveRoutes(host, [outer])
    const { status, answer } = JSON.parse(expectText(await served.as().call('again', {})))
    expect({ status, calls: calls.length }).toEqual({ status: 400, calls: 1 })
    expect(answer.error.message).toContain('called, over HTTP, a tool of its own app')
    // What anybody else writes there is of no harm to them, up to a length.
    const plain = { 'mcp-router-loop': 'one, two' }
    expect(read(await served.as().call('again', {}, { headers: plain })).isError).toBe(false)
    expect(`${calls[1]}`).toMatch(/^one, two, \S{16}$/)
    const long = { 'mcp-router-loop': 'a,b,c,d,e,f,g,h' }
    expect((await served.as().call('again', {}, { headers: long })).json.error.message).toContain('8 servers')
  })

  it.each([
    ['fetch', fetch],
    ['node:http', overNodeHttp],
    ['the router', undefined],
  ])('ends what a route begins that calls its own tool after it has answered, by %s', async (_, send) => {
    const answers: string[] = []
    /** What the routes left behind, each to run once its route has answered. */
    const left: (() => Promise<void>)[] = []
    const params = { name: 'again', arguments: {}, _meta: envelope }
    const overHttp = async (by: typeof overNodeHttp): Promise<string> => {
      const headers = { ...mirror('tools/call', params), 'Content-Type': 'application/json' }
      const body = JSON.stringify(rpc('tools/call', params))
      const init = { method: 'POST', headers: headers as Record<string, string>, body }
      return (await by(`${served.origin}/mcp`, init)).text()
    }
    const inProcess = async (): Promise<string> =>
      JSON.stringify(await served.router.call('again').catch(String))
    const callLater = async (): Promise<void> => {
      answers.push(await (send === undefined ? inProcess() : overHttp(send)))
      await left.pop()?.()
    }
    const again: ApiRoute = {
      method: 'get',
      path: '/again',
      marker: { name: 'again' },
      run: () => {
        left.push(AsyncResource.bind(callLater))
        return { body: 'done' }
      },
    }
    const served: Served = await serveRoutes(host, [again])
    expectText(await served.as().call('again', {}))
    await left.pop()?.()
    expect(answers).toHaveLength(4)
    expect(answers.pop()).toContain('after responding')
    for (const answer of answers) expect(answer).toContain('done')
    // Another call begins anew.
    expectText(await served.as().call('again', {}))
  })

  it('leaves the requests of a route to other servers as they are', async () => {
    const heard: unknown[] = []
    const other = createServer((req, res) => {
      heard.push(req.headers['mcp-router-loop'])
      res.end('{}')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const { as, origin } = await serveRoutes(host, [
      {
        method: 'get',
        path: '/look',
        marker: { name: 'look' },
        run: async () => ({ body: { status: (await fetch(url)).status } }),
      },
    ])
    await as().call('look', {})
    await fetch(`${origin}/look`)
    expect(heard).toEqual([undefined, undefined])
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
