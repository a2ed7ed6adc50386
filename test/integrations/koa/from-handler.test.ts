import { McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { fromHandler } from '../../../integrations/koa/from-handler.js'
import { quiet } from '../../contract/host.js'
import { load, type Untyped } from '../node/inject-call.js'

const open = { type: 'object', additionalProperties: true } as const
type Next = () => Promise<unknown>

describe.each(['koa', 'koa2'])('fromHandler() with %s', async (name) => {
  const Koa = await load(name)
  const app = new Koa()
  app.on('error', (error: Error) => expect.fail(`reported by Koa: ${error.message}`))

  function calling(middleware: Parameters<typeof fromHandler>[0], options: object = {}) {
    const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet, exposeErrors: false })
    router.tool('run', {
      description: 'x',
      input: open,
      handler: fromHandler(middleware, { app, ...options }),
    })
    return async (input: object = {}, caller: object = {}) => {
      const { content, isError } = await router.call('run', input, caller)
      return { text: (content[0] as { text?: string } | undefined)?.text ?? '', isError: isError === true }
    }
  }

  it('passes params, query, body and the caller to middleware', async () => {
    const shows = (ctx: Untyped) => {
      ctx.body = [ctx.params, { ...ctx.query }, ctx.request.body, ctx.state.user]
    }
    const run = calling(shows, { params: ['id'], query: ['q'] })
    const { text } = await run({ id: 7, q: 'a b', title: 'x' }, { user: { id: 'ann' } })
    expect(JSON.parse(text)).toEqual([{ id: '7' }, { q: 'a b' }, { title: 'x' }, { id: 'ann' }])
  })

  it('runs middleware in onion order', async () => {
    const order: string[] = []
    const around = async (_ctx: Untyped, next: Next) => {
      order.push('in')
      await next()
      order.push('out')
    }
    const last = (ctx: Untyped) => {
      order.push('last')
      ctx.status = 201
      ctx.body = 'made'
    }
    expect(await calling([around, [last]])()).toEqual({ text: 'made', isError: false })
    expect(order).toEqual(['in', 'last', 'out'])
  })

  it('handles errors like those that a tool throws', async () => {
    expect(await calling((ctx: Untyped) => ctx.throw(409, 'taken'))()).toEqual({
      text: 'taken',
      isError: true,
    })
    const masked = await calling(() => {
      throw new Error('password=1')
    })()
    expect(masked.text).toMatch(/^Internal error/)
  })

  it('keeps Koa from responding after an error', async () => {
    const events: string[] = []
    const run = calling((ctx: Untyped) => {
      ctx.body = 'half'
      ctx.res.on('finish', () => events.push('finish')).on('close', () => events.push('close'))
      ctx.throw(409, 'taken')
    })
    expect(await run()).toEqual({ text: 'taken', isError: true })
    await new Promise(setImmediate)
    expect(events).toEqual(['close'])
  })

  it('returns "not found" when no middleware responds', async () => {
    expect((await calling((_ctx: Untyped, next: Next) => next())()).text).toBe('404 Not Found')
  })

  it('lets `prepare` set properties that other middleware would set', async () => {
    const prepare = (ctx: Untyped) => {
      ctx.state.tenant = 't'
    }
    const shows = (ctx: Untyped) => {
      ctx.body = ctx.state.tenant
    }
    expect((await calling(shows, { prepare })()).text).toBe('t')
  })
})

it('creates an app if there is none', async () => {
  const router = new McpRouter<object>({ name: 'x', version: '1', logger: quiet })
  const handler = fromHandler((ctx: Untyped) => {
    ctx.body = 'fine'
  })
  router.tool('run', { description: 'x', input: open, handler })
  expect((await router.call('run', {})).content).toEqual([{ type: 'text', text: 'fine' }])
})
