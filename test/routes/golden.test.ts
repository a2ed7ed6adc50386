/** One API has the same tools in every framework, and each tool calls the route of its name. */

import { createRequire } from 'node:module'
import router15 from '@koa/router'
import express5 from 'express'
import fastify5 from 'fastify'
import fastify4 from 'fastify4'
import koa3 from 'koa'
import { describe, expect, test } from 'vitest'
import { exclude, type GoldenHost, goldenReasons, goldenRouter, goldenTools, include } from './golden.js'
import { expressGolden } from './golden-express.js'
import { fastifyGolden } from './golden-fastify.js'
import { koaGolden } from './golden-koa.js'

/** Their types are those of 5.3, under other names. */
const load = createRequire(import.meta.url)

const hosts: readonly GoldenHost[] = [
  expressGolden('express 4.18', load('express418')),
  expressGolden('express 4.22', load('express4')),
  expressGolden('express 5 with router 2.0', load('express50')),
  expressGolden('express 5 with router 2.2', load('express51')),
  expressGolden('express 5 with router 2.3', express5),
  koaGolden('koa 2 with @koa/router 12', load('koa2'), load('koa-router12')),
  koaGolden('koa 3 with @koa/router 13', koa3, load('koa-router13')),
  koaGolden('koa 2 with @koa/router 15', load('koa2'), router15),
  koaGolden('koa 3 with @koa/router 15', koa3, router15),
  fastifyGolden('fastify 4', fastify4 as unknown as typeof fastify5),
  fastifyGolden('fastify 5', fastify5),
]

describe.each(hosts)('$name', (host) => {
  const routes = { include, exclude }

  test('has the golden tools, with their path parameters and annotations', async () => {
    const { router, app } = await host.start(routes, goldenRouter())
    const tools = router
      .list({ app })
      .filter(({ kind }) => kind === 'tool')
      .map(({ name, route, inputSchema, annotations }) => {
        const { properties = {}, required = [] } = inputSchema as {
          properties?: Record<string, unknown>
          required?: string[]
        }
        const inPath = Object.keys(properties).filter((key) => route?.path.includes(`{${key}}`))
        return {
          name,
          route: `${route?.method} ${route?.path}`,
          path: inPath.map((key) => (required.includes(key) ? key : `${key}?`)),
          types: inPath.map((key) => properties[key]),
          ...(annotations !== undefined && { annotations }),
        }
      })
    const expected = goldenTools.map((tool) => ({
      ...tool,
      types: tool.path.map(() => ({ type: 'string' })),
    }))
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
    expect(tools.toSorted(byName)).toEqual(expected.toSorted(byName))
  })

  test('reports why each other route is not a tool', async () => {
    const { router, app } = await host.start(routes, goldenRouter())
    const others = router
      .list({ app })
      .filter(({ kind }) => kind === 'route')
      .map(({ name, route }) => [name, route?.reason])
    for (const reason of goldenReasons) expect(others).toContainEqual(reason)
    const unread = others.filter(([, reason]) => reason?.startsWith('not read:'))
    expect(others).toHaveLength(goldenReasons.length + unread.length)
    expect(unread.every(([, reason]) => reason?.includes('is a regular expression'))).toBe(true)
  })

  test('returns the same response to a tool call as to the HTTP request', async () => {
    const { router, app, origin } = await host.start(routes, goldenRouter())
    router.list({ app })
    for (const { name, route, path } of goldenTools.filter((tool) => tool.route.startsWith('GET '))) {
      const values = path.map((key, index) => [key.replace('?', ''), `value ${index}/ü`] as const)
      const called = await router.call(name, Object.fromEntries(values))
      const url = values.reduce(
        (text, [key, value]) => text.replace(`{${key}}`, encodeURIComponent(value)),
        route.slice('GET '.length),
      )
      const fetched: unknown = await (await fetch(origin + url)).json()
      expect(fetched).toMatchObject({ route })
      expect(called).toEqual({ content: [{ type: 'text', text: JSON.stringify(fetched) }] })
    }
  })
})
