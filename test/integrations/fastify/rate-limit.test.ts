/** `app.rateLimit()` of @fastify/rate-limit around a call. The plugin supports only Fastify 5. */

import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'
import { McpRouter } from 'mcp-router'
import { guard, mcp } from 'mcp-router/fastify'
import { expect, it } from 'vitest'
import { modern } from '../../contract/clients.js'
import { expectText, expectToolError } from '../../contract/expect.js'
import { quiet } from '../../contract/host.js'
import { create, type FastifyModules, listening } from './host.js'

it('includes the seconds to wait when a rate limit refuses', async () => {
  const app = create({ fastify } as FastifyModules)
  await app.register(rateLimit, { global: false })
  const router = new McpRouter<object>({ logger: quiet })
  const use = [guard(app.rateLimit({ max: 2, timeWindow: 60_000 }))]
  router.tool('report', { description: 'x', use, handler: () => 'done' })
  await app.register(mcp, { router })
  const { origin } = await listening(app)
  const client = modern(`${origin}/mcp`)
  expectText(await client.call('report', {}))
  const passed = await client.call('report', {})
  expect(expectText(passed)).toBe('done')
  expect(Object.keys(passed.headers).filter((name) => /ratelimit/.test(name))).toEqual([])
  expect(expectToolError(await client.call('report', {}))).toMatch(
    /(?:try again|retry) in (?:60|59|58) seconds/i,
  )
})
