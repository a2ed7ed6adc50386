/** Routes that stream: each piece is progress while it comes, and all of them are the answer. */

import { expect, it } from 'vitest'
import type { Json } from '../../contract/client.js'
import { latch } from '../../contract/fixtures.js'
import type { ApiRoute, RouteHost } from './host.js'
import { serveRoutes } from './serve.js'

const kinds = [
  ['server-sent events', 'text/event-stream', (piece: object) => `data: ${JSON.stringify(piece)}\n\n`, '\n'],
  ['NDJSON', 'application/x-ndjson', (piece: object) => `${JSON.stringify(piece)}\n`, '\n'],
] as const

export function streams(host: RouteHost): void {
  it.each(kinds)('tells of %s as they come', async (_, type, write, between) => {
    const second = latch()
    async function* pieces() {
      yield write({ step: 1 })
      await second.opened
      yield write({ step: 2 })
    }
    const route: ApiRoute = {
      method: 'get',
      path: '/steps',
      marker: { name: 'steps' },
      run: () => ({ headers: { 'Content-Type': type }, pieces: pieces() }),
    }
    const { as } = await serveRoutes(host, [route])
    const stream = await as().open('tools/call', {
      name: 'steps',
      arguments: {},
      _meta: { progressToken: 'p' },
    })
    const first = await stream.next()
    expect(first.params).toMatchObject({ progressToken: 'p', progress: 1, message: '{"step":1}' })
    second.open()
    const rest: Json[] = await stream.rest()
    expect(rest.map(({ params, result }) => params?.message ?? result.content[0].text)).toEqual([
      '{"step":2}',
      ['{"step":1}', '{"step":2}'].join(between),
    ])
  })

  it('reads a stream to its end for clients that asked for no progress', async () => {
    async function* pieces() {
      yield 'data: one\n\n'
      yield 'data: two\n\n'
    }
    const { as } = await serveRoutes(host, [
      {
        method: 'get',
        path: '/steps',
        marker: { name: 'steps' },
        run: () => ({ headers: { 'Content-Type': 'text/event-stream' }, pieces: pieces() }),
      },
    ])
    const answer = await as().call('steps', {})
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.json.result.content).toEqual([{ type: 'text', text: 'one\ntwo' }])
  })
}
