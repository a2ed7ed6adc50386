/** What becomes of arguments on their way: the route reads what the caller of the tool meant. */

import { expect, it, vi } from 'vitest'
import type { RouteMarker } from '../../../src/internal.js'
import { modern } from '../../contract/clients.js'
import { expectResult, expectText } from '../../contract/expect.js'
import type { ApiRoute, RouteHost } from './host.js'
import { read, serveRoutes, toolsOf } from './serve.js'

/** `a[b]=1&c[]=2`, as qs reads it. */
function parseQuery(query: string): Record<string, unknown> {
  const parsed: Record<string, Record<string, unknown> | unknown[]> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const [key = '', inner] = name.replace(']', '').split('[')
    if (inner === undefined || inner === '') parsed[key] = [parsed[key] ?? [], value].flat()
    else {
      const object = parsed[key] as Record<string, unknown> | undefined
      const known = object?.[inner]
      parsed[key] = { ...object, [inner]: known === undefined ? value : [known, value].flat() }
    }
  }
  return parsed
}

export function inputs(host: RouteHost): void {
  it('lets no argument make another method of a request, unless somebody described it', async () => {
    const body = { type: 'object', properties: { _method: { type: 'string' } } } as const
    const { as } = await serveRoutes(
      host,
      [
        { method: 'post', path: '/things/:id', run: ({ body }) => ({ body: { body } }) },
        { method: 'put', path: '/things/:id', marker: { body }, run: ({ body }) => ({ body: { body } }) },
      ],
      { options: { routes: { include: ['POST /**'] } } },
    )
    const override = { _method: 'DELETE' }
    const refused = read(await as().call('post_things_by_id', { id: '1', body: override }))
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('"_method"') })
    const inside = { id: '1', body: { form: override } }
    expect(expectText(await as().call('post_things_by_id', inside))).toBe(
      `{"body":{"form":{"_method":"DELETE"}}}`,
    )
    expect(expectText(await as().call('put_things_by_id', { id: '1', ...override }))).toBe(
      '{"body":{"_method":"DELETE"}}',
    )
  })

  it('lets no spelling of a nested key do so', async () => {
    const ran = vi.fn(() => ({}))
    const form = { consumes: 'application/x-www-form-urlencoded' }
    const { as } = await serveRoutes(host, [
      { method: 'post', path: '/form/:id', marker: form, run: ran },
      { method: 'post', path: '/json/:id', marker: {}, run: ran },
    ])
    const method = '_method'
    const bodies = [
      ...[method, `${method}[]`, `[${method}]`, `[${method}][]`, `${method}[0]`, `.${method}`, `_METHOD`],
      ...[`${method}.x`, `][${method}`],
    ].map((key) => ({ [key]: 'DELETE' }))
    const nested = [{ '': { [method]: 'DELETE' } }, { '[]': { [method]: ['DELETE'] } }]
    for (const name of ['post_form_by_id', 'post_json_by_id'])
      for (const body of [...bodies, ...nested]) {
        const refused = read(await as().call(name, { id: '1', body }))
        expect({ body, ...refused }).toMatchObject({
          isError: true,
          text: expect.stringContaining('"_method"'),
        })
      }
    expect(ran).not.toHaveBeenCalled()
  })

  it('sends the headers that somebody named as arguments, and forges none', async () => {
    const ask = (path: string, marker?: RouteMarker): ApiRoute => ({
      method: 'get',
      path,
      ...(marker && { marker }),
      run: ({ headers }) => ({
        body: { match: headers['if-match'], language: headers['accept-language'], email: headers['x-email'] },
      }),
    })
    const { url } = await serveRoutes(
      host,
      [ask('/marked', { headers: ['If-Match', 'Accept-Language'] }), ask('/tools/:id'), ask('/other')],
      {
        options: {
          routes: {
            include: ['/tools/:id', '/other'],
            tools: { '/tools/*': { headers: ['if-match'], description: 'T' }, '/other': { hidden: true } },
            forwardHeaders: ['X-Email'],
          },
        },
      },
    )
    const client = modern(url, { headers: { 'X-Email': 'eve@example.com', 'Accept-Language': 'de' } })
    expect((await toolsOf(client)).map(({ name, description }) => [name, description]).sort()).toEqual([
      ['get_marked', 'GET /marked'],
      ['get_tools_by_id', 'T'],
    ])
    const read = async (name: string, args: object) => JSON.parse(expectText(await client.call(name, args)))
    const email = 'eve@example.com'
    expect(await read('get_marked', { 'If-Match': '"1"', 'Accept-Language': 'fr' })).toEqual({
      match: '"1"',
      language: 'fr',
      email,
    })
    expect(await read('get_tools_by_id', { id: '1', 'if-match': '"2"' })).toEqual({
      match: '"2"',
      language: 'de',
      email,
    })
    for (const forged of ['x-email', 'X-Email', 'authorization', 'x-auth-request-email', 'x-user-id'])
      expect(expectResult(await client.call('get_marked', { [forged]: 'admin' }))).toMatchObject({
        isError: true,
      })
  })

  it('writes a query as the parser that the app was given reads it', async () => {
    const texts = { type: 'array', items: { type: 'string' } } as const
    const { as } = await serveRoutes(
      host,
      [
        {
          method: 'get',
          path: '/search',
          marker: {
            name: 'search',
            query: {
              type: 'object',
              properties: { filter: { type: 'object', properties: { size: texts } }, tags: texts },
            },
          },
          run: ({ query }) => ({ body: query }),
        },
      ],
      { parseQuery },
    )
    const query = { filter: { size: ['s', 'm'] }, tags: ['one'] }
    expect(JSON.parse(expectText(await as().call('search', query)))).toEqual(query)
  })
}
