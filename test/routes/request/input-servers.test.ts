/** Real servers read back the arguments that go in: any value, four parsers. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import express4 from 'express4'
import fc from 'fast-check'
import Fastify from 'fastify'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf, type RequestParts } from '../../../src/routes/request/input.js'
import { route } from './input-support.js'

interface Seen {
  readonly id: string
  readonly query: unknown
  readonly body: unknown
  readonly tenant: string | undefined
}

interface Host {
  readonly name: string
  readonly queryParser: 'simple' | 'extended'
  start(): Promise<{ port: number; close(): Promise<unknown> }>
}

const listening = async (listener: RequestListener) => {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, close }
}

const onExpress = (make: typeof express) => {
  const app = make()
  app.use(make.json())
  app.post('/x/:id', (req, res) => {
    const seen: Seen = {
      id: String(req.params.id),
      query: req.query,
      body: req.body,
      tenant: req.get('x-tenant'),
    }
    res.json(seen)
  })
  return listening(app)
}

const hosts: Host[] = [
  {
    name: 'Express 4',
    queryParser: 'extended',
    start: () => onExpress(express4 as unknown as typeof express),
  },
  { name: 'Express 5', queryParser: 'simple', start: () => onExpress(express) },
  {
    name: 'Koa',
    queryParser: 'simple',
    start() {
      const app = new Koa()
      app.use(bodyParser())
      app.use((ctx) => {
        const { query, request } = ctx
        const id = decodeURIComponent(ctx.path.slice('/x/'.length))
        ctx.body = { id, query, body: request.body, tenant: ctx.get('x-tenant') } satisfies Seen
      })
      return listening(app.callback())
    },
  },
  {
    name: 'Fastify',
    queryParser: 'simple',
    async start() {
      const app = Fastify()
      app.post<{ Params: { id: string } }>('/x/:id', ({ params, query, body, headers }): Seen => {
        return { id: params.id, query, body, tenant: headers['x-tenant'] as string }
      })
      await app.listen({ port: 0, host: '127.0.0.1' })
      return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
    },
  },
]

/** Text without lone surrogates. */
const words = fc.string({ unit: 'grapheme', maxLength: 12 })
const scalar = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
)
const key = fc.stringMatching(/^[a-z]{1,6}$/)
const json = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
const args = fc.record({
  id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((id) => id !== '.' && id !== '..'),
  q: scalar,
  list: fc.array(fc.oneof(words, fc.integer()), { minLength: 2, maxLength: 20 }),
  one: fc.tuple(words),
  deep: fc.dictionary(key, fc.oneof(words, fc.integer(), fc.array(words, { minLength: 1, maxLength: 4 })), {
    minKeys: 1,
    maxKeys: 4,
  }),
  'X-Tenant': fc.stringMatching(/^[!-~]{1,10}$/),
  list__query: fc.boolean(),
  data: json,
})

const schema = {
  query: { type: 'object', properties: { q: {}, list: {}, one: {}, deep: {} } },
  headers: { type: 'object', properties: { 'X-Tenant': {} } },
  body: { type: 'object', properties: { data: {}, list__query: {} } },
}

/** Text as sent in a query string. */
const asText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asText(inner)]))
}

describe.each(hosts)('$name', ({ queryParser, start }) => {
  let server: Awaited<ReturnType<Host['start']>>
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.close())

  async function send({ params, query, headers, body }: RequestParts): Promise<Seen> {
    const url = `http://127.0.0.1:${server.port}/x/${encodeURIComponent(String(params.id ?? ''))}?${query}`
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Seen
  }

  it('reads the arguments back', async () => {
    const { split } = inputOf(route('/x/:id', { schema, queryParser, marker: { headers: ['X-Tenant'] } }))
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const seen = await send(split(given))
        const { id, q, list, one, deep, data, list__query } = given
        expect(seen.id).toBe(id)
        expect(seen.tenant).toBe(given['X-Tenant'])
        expect(seen.body).toEqual(JSON.parse(JSON.stringify({ data, list__query })))
        const expected =
          queryParser === 'extended'
            ? { q: asText(q), list: asText(list), one: asText(one), deep: asText(deep) }
            : { q: asText(q), list: asText(list), one: one[0], deep: JSON.stringify(deep) }
        expect(seen.query).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
