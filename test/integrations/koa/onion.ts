/** A guard's code around its `next()`: it waits for the handler, and can't change its outcome. */

import type { Middleware } from 'koa'
import { ToolError } from 'mcp-router'
import { guard } from 'mcp-router/koa'
import { expect, it } from 'vitest'
import { expectText, expectToolError } from '../../contract/expect.js'
import { latch } from '../../contract/fixtures.js'
import { settled, unhandledRejections } from '../../support/time.js'
import { guardedBy } from './guarded.js'
import type { KoaModule } from './host.js'

export function onion(Koa: KoaModule): void {
  const around = async (middleware: Middleware, handler: () => string | Promise<string>) => {
    const app = await guardedBy(Koa)(middleware)
    app.router.tool('inner', { description: 'x', use: [guard(middleware)], handler })
    return () => app.clients[1].call('inner', {})
  }

  it('runs code after `await next()` when the handler is done, and keeps its result', async () => {
    const order: string[] = []
    const call = await around(
      async (ctx, next) => {
        order.push('before')
        await next()
        order.push('after')
        ctx.status = 500
        ctx.body = 'not this'
      },
      async () => {
        await new Promise(setImmediate)
        order.push('handler')
        return 'this'
      },
    )
    expect(expectText(await call())).toBe('this')
    expect(order).toEqual(['before', 'handler', 'after'])
  })

  it("keeps the failure of a handler, which the guard sees but can't hide", async () => {
    const seen: unknown[] = []
    const call = await around(
      async (ctx, next) => {
        try {
          await next()
        } catch (error) {
          seen.push((error as Error).message)
          ctx.body = 'all is well'
        }
      },
      () => {
        throw new ToolError('out of stock')
      },
    )
    expect(expectToolError(await call())).toBe('out of stock')
    expect(seen).toEqual(['out of stock'])
  })

  it('fails with an error that a guard throws after the handler', async () => {
    const call = await around(
      async (ctx, next) => {
        await next()
        ctx.throw(409, 'too much was done')
      },
      () => 'done',
    )
    expect(expectToolError(await call())).toBe('too much was done')
  })

  it("waits for the handler if a guard doesn't", async () => {
    const call = await around(
      (_ctx, next) => void next(),
      async () => {
        await new Promise(setImmediate)
        return 'done'
      },
    )
    expect(expectText(await call())).toBe('done')
  })

  it('fails if a guard calls next() twice, and runs the handler once', async () => {
    const unhandled = unhandledRejections()
    let ran = 0
    const call = await around(
      async (_ctx, next) => {
        await next()
        void next()
      },
      () => `ran ${++ran}`,
    )
    expect(expectToolError(await call())).toMatch(/next\(\) more than once/)
    await settled()
    expect({ ran, unhandled }).toEqual({ ran: 1, unhandled: [] })
  })

  it('causes no unhandled rejection if a guard calls next() again after the end', async () => {
    const unhandled = unhandledRejections()
    const late = latch()
    const call = await around(
      async (_ctx, next) => {
        await next()
        void late.opened.then(() => void next())
      },
      () => 'done',
    )
    expect(expectText(await call())).toBe('done')
    late.open()
    await settled()
    expect(unhandled).toEqual([])
  })

  it("causes no unhandled rejection if a guard doesn't await next()", async () => {
    const unhandled = unhandledRejections()
    const call = await around(
      (ctx, next) => {
        void next()
        ctx.throw(409, 'first')
      },
      async () => {
        await new Promise(setImmediate)
        throw new ToolError('second')
      },
    )
    expect(expectToolError(await call())).toBe('first')
    await settled()
    expect(unhandled).toEqual([])
  })
}
