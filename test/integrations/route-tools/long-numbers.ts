/** Numbers that JavaScript rounds: answers keep their digits, and arguments that lost them reach no route. */

import { expect, it } from 'vitest'
import { post } from '../../contract/client.js'
import { expectResult } from '../../contract/expect.js'
import type { ApiRoute, Asked, RouteHost } from './host.js'
import { eras, read, serveRoutes } from './serve.js'

const id = '1917043659912705297'
const body = `{"id":${id},"n":0.1,"a":[9007199254740993]}`
const headers = { 'Content-Type': 'application/json' }
const whole = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const

export function longNumbers(host: RouteHost): void {
  it.each(eras)('answers keep their digits, as text and as data: %s', async (_, connect) => {
    const run = () => ({ headers, body })
    const { url } = await serveRoutes(host, [
      { method: 'get', path: '/raw', marker: { name: 'raw' }, run },
      { method: 'get', path: '/typed', marker: { name: 'typed', response: whole }, run },
    ])
    const client = await connect(url)
    for (const name of ['raw', 'typed']) {
      const answer = await client.call(name, {})
      expect(read(answer)).toEqual({ text: body, isError: false })
    }
    expect((await client.call('typed', {})).text).toContain(`"structuredContent":${body}`)
  })

  it('also where they are cut, where they come line by line, and in refusals', async () => {
    const rows = Array.from({ length: 500 }, () => `{"id":${id}}`)
    const list = { type: 'array', items: whole } as const
    const { as } = await serveRoutes(
      host,
      [
        {
          method: 'get',
          path: '/list',
          marker: { name: 'list', response: list },
          run: () => ({ headers, body: `[${rows.join()}]` }),
        },
        {
          method: 'get',
          path: '/lines',
          marker: { name: 'lines', response: list },
          run: () => ({
            headers: { 'Content-Type': 'application/x-ndjson' },
            body: rows.slice(0, 2).join('\n'),
          }),
        },
        {
          method: 'get',
          path: '/refusal',
          marker: { name: 'refusal' },
          run: () => ({ status: 409, headers, body: `{"taken":${id}}` }),
        },
      ],
      { options: { routes: { maxResultBytes: 1_000 } } },
    )
    const cut = await as().call('list', {})
    expect(read(cut).text).toContain(`[{"id":${id}},{"id":${id}}`)
    expect(cut.text).toContain(`"structuredContent":[{"id":${id}}`)
    expect((await as().call('lines', {})).text).toContain(`"structuredContent":[{"id":${id}},{"id":${id}}]`)
    expect(read(await as().call('refusal', {}))).toEqual({ text: expect.stringContaining(id), isError: true })
  })

  it('are refused as arguments where the route asks for an integer', async () => {
    const asked: Asked[] = []
    const run: ApiRoute['run'] = (request) => {
      asked.push(request)
      return { body: {} }
    }
    const { url, as } = await serveRoutes(host, [
      { method: 'delete', path: '/tasks/:id', marker: { name: 'path', params: whole }, run },
      { method: 'get', path: '/tasks', marker: { name: 'query', query: whole }, run },
      { method: 'post', path: '/tasks', marker: { name: 'body', body: whole }, run },
    ])
    for (const name of ['path', 'query', 'body']) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"id":${id}}}}`
      const answer = await post(url, call, { 'MCP-Protocol-Version': '2025-06-18' })
      expect(read(answer), name).toEqual({
        text: expect.stringMatching(/id: expected an integer from -9007199254740991 to 9007199254740991/),
        isError: true,
      })
    }
    expect(asked).toEqual([])
    expect(expectResult(await as().call('body', { id: 2 ** 53 - 1 }))).not.toHaveProperty('isError')
  })
}
