/** Mounts below prefixes that clients have to percent-encode. */

import Fastify from 'fastify'
import Fastify4 from 'fastify4'
import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fastify'
import { expect, it, onTestFinished } from 'vitest'
import { initialize } from '../../contract/clients.js'
import { quiet } from '../../contract/host.js'

const majors = { 'Fastify 4': Fastify4 as unknown as typeof Fastify, 'Fastify 5': Fastify }

it.each(Object.entries(majors))('serves below a prefix that is not ASCII: %s', async (_, create) => {
  const app = create()
  onTestFinished(() => app.close())
  await app.register(mcp, { router: new McpRouter({ logger: quiet }), prefix: '/größe' } as never)
  const post = (url: string) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      payload: initialize(),
    })
  for (const url of ['/gr%C3%B6%C3%9Fe/mcp', '/gr%c3%b6%c3%9fe/mcp'])
    expect((await post(url)).statusCode).toBe(200)
  expect((await post('/gr%C3%B6%C3%9Fe/%6dcp')).statusCode).toBe(404)
})
