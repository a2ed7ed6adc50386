/** The media type of an undescribed body: JSON, unless nothing in front of the route parses JSON. */

import { createRequire } from 'node:module'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import multer from 'multer'
import { describe, expect, test, vi } from 'vitest'
import { quiet } from '../../contract/host.js'

const answer = (result: { content: object[] }) => JSON.parse((result.content[0] as { text: string }).text)

describe.each([
  ['Express 4', createRequire(import.meta.url)('express4') as typeof express],
  ['Express 5', express],
])('the body of a route that nobody describes, in %s', (_, express) => {
  const body = { amount: 12, paid: true, note: null, items: [], address: { city: 'x' } }
  const form = 'application/x-www-form-urlencoded'
  const json = express.json()
  const urlencoded = express.urlencoded({ extended: true })

  /** What reaches a route behind these. */
  const sent = async (
    inFront: (app: express.Express) => unknown,
    own: express.RequestHandler[] = [],
    options: object = {},
  ) => {
    const warn = vi.fn()
    const router = new McpRouter<object>({ logger: { ...quiet, warn } })
    const app = express()
    app.use(mcp(router, { routes: { include: ['POST /**'], ...options } }))
    inFront(app)
    app.post('/orders', ...own, (req, res) => {
      res.json({ type: req.headers['content-type']?.split(';')[0], body: req.body })
    })
    router.list({ app })
    const called = await router.call('post_orders', { body })
    return { ...answer(called), warnings: warn.mock.calls.map(([text]) => text as string).join('\n') }
  }

  const asJson = { type: 'application/json', body, warnings: expect.stringContaining(`consumes: '${form}'`) }
  const webhook: express.RequestHandler = (req, res, next) =>
    req.originalUrl === '/stripe-webhook' ? next() : json(req, res, next)
  const apart = express.Router().use(json)

  test.each<[string, express.RequestHandler[]]>([
    ['an anonymous wrapper of the JSON parser', [(req, res, next) => webhook(req, res, next), urlencoded]],
    ['a named one behind the form parser', [urlencoded, webhook]],
    [
      'one that hands on what it was given',
      [
        urlencoded,
        function wrapped(...all) {
          json(...all)
        },
      ],
    ],
    [
      'one that takes the request apart',
      [
        urlencoded,
        async function reads({ on }, _res, next) {
          void on
          next()
        },
      ],
    ],
    [
      'one that reads the body itself',
      [
        urlencoded,
        function chunks(req, _res, next) {
          req.on('x', () => {})
          next()
        },
      ],
    ],
    ['one bound to something', [urlencoded, webhook.bind(undefined)]],
  ])('is JSON behind %s', async (_, inFront) => {
    const got = await sent((app) => app.use(inFront))
    expect(got).toMatchObject({ type: 'application/json', warnings: asJson.warnings })
  })

  test('is JSON if a wrapper parses it', async () => {
    expect(await sent((app) => app.use(webhook, urlencoded))).toEqual(asJson)
    expect(await sent((app) => app.use(urlencoded), [webhook])).toEqual(asJson)
  })

  test('is JSON if a router in front of the route parses it', async () => {
    const quietly = { type: 'application/json', body, warnings: '' }
    expect(await sent((app) => app.use(apart).use(urlencoded))).toEqual(quietly)
    expect(await sent((app) => app.use(express.Router().use(apart)).use(urlencoded))).toEqual(quietly)
    expect(await sent((app) => app.use('/orders', apart).use(urlencoded))).toEqual(quietly)
  })

  test('is a form if nothing in front parses JSON', async () => {
    const login: express.RequestHandler = (req, res, next) =>
      void (req.headers['x-blocked'] === undefined && !req.path.endsWith('~')
        ? next()
        : res.status(403).end())
    const got = await sent((app) =>
      app.use('/elsewhere', apart).use(urlencoded, login, function named(_req, _res, next) {
        next()
      }),
    )
    expect(got).toMatchObject({ type: form, body: { amount: '12', paid: 'true' }, warnings: '' })
  })

  test("is multipart with the route's own multer; with multer for all routes, JSON if that is parsed", async () => {
    const upload = multer()
    expect(await sent((app) => app.use(json), [upload.none()])).toMatchObject({ type: 'multipart/form-data' })
    expect(await sent((app) => app.use(upload.none()))).toMatchObject({ type: 'multipart/form-data' })
    const warnings = expect.stringContaining("consumes: 'multipart/form-data'")
    expect(await sent((app) => app.use(json, upload.none()))).toEqual({
      type: 'application/json',
      body,
      warnings,
    })
  })
})

test('a form if the app parses nothing else', async () => {
  const router = new McpRouter<object>({ logger: quiet })
  const app = express()
  app.use(mcp(router, { routes: { include: ['POST /contact'] } }))
  app.use(express.urlencoded({ extended: true }))
  app.post('/contact', (req, res) => void res.json(req.body))
  router.list({ app })
  const body = { name: 'Ana', topics: ['a', 'b'] }
  expect(answer(await router.call('post_contact', { body }))).toEqual(body)
})
