/** What becomes of arguments on their way: the route reads what the caller of the tool meant. */

import { expect, it } from 'vitest'
import { expectText } from '../../contract/expect.js'
import type { RouteHost } from './host.js'
import { serveRoutes } from './serve.js'

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
