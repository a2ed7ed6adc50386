/** `scopePerCall()`: singletons, and a scope per call that is disposed at its end, whatever that is. */

import { asClass, asFunction, asValue, createContainer } from 'awilix'
import { McpRouter, prompt, type Session, ToolError, tool } from 'mcp-router'
import { scopePerCall } from 'mcp-router/awilix'
import { type TestClientOptions, testClient, textOf } from 'mcp-router/testing'
import { beforeEach, describe, expect, it } from 'vitest'

type Env = { user: { id: string } | undefined }

/** A unit of work: open until its call is over. */
class Work {
  static made: Work[] = []
  readonly owner: string
  readonly number: number
  open = true

  constructor({ user }: { user?: { id: string } | undefined }) {
    this.owner = user?.id ?? 'nobody'
    this.number = Work.made.push(this)
  }
}
class Clock {
  readonly made = Math.random()
}

let disposing: (work: Work) => void | Promise<void>
let logged: string[]
let router: McpRouter<Env>

const container = createContainer().register({
  clock: asClass(Clock).singleton(),
  work: asClass(Work)
    .scoped()
    .disposer((work) => {
      work.open = false
      return disposing(work)
    }),
  greeting: asFunction(({ work }: { work: Work }) => `Hello ${work.owner}`).transient(),
})
const services = scopePerCall(container, {
  values: (ctx: { user: unknown; session: Session | undefined }) => ({
    user: ctx.user,
    session: ctx.session,
  }),
})

beforeEach(() => {
  Work.made = []
  disposing = () => {}
  logged = []
  const log = (message: string): void => void logged.push(message)
  router = new McpRouter<Env>({ name: 'di', version: '1.0.0', logger: { info() {}, warn() {}, error: log } })
  router.use(services)
})

const as = (id: string, options: Partial<TestClientOptions<Env>> = {}) =>
  testClient(router, { user: { id }, ...options })
const open = (): boolean[] => Work.made.map((work) => work.open)

describe('a call', () => {
  it('has services of its own, and shares singletons', async () => {
    const clocks = new Set<Clock>()
    router.tool('greet', {
      description: 'd',
      handler(_, ctx) {
        const { clock, work, greeting } = services.of(ctx)
        clocks.add(clock)
        expect(services.of(ctx).work).toBe(work)
        expect(work.open).toBe(true)
        return greeting
      },
    })
    const answers = await Promise.all(['ana', 'ben'].map((id) => as(id).callTool('greet')))
    expect(answers.map(textOf)).toEqual(['Hello ana', 'Hello ben'])
    expect(Work.made).toHaveLength(2)
    expect(open()).toEqual([false, false])
    expect(clocks).toEqual(new Set([container.cradle.clock]))
  })

  it('that asks for none makes none', async () => {
    router.tool('plain', { description: 'd', handler: () => 'plain' })
    await as('ana').callTool('plain')
    expect(Work.made).toEqual([])
  })

  it('may read or list resources, get a prompt or complete', async () => {
    router.resource('note://{id}', {
      description: 'd',
      list: (ctx) => [{ uri: 'note://1', name: services.of(ctx).greeting }],
      complete: { id: (_, __, ctx) => [services.of(ctx).greeting] },
      handler: (_, ctx) => services.of(ctx).greeting,
    })
    router.add({ hi: prompt({ description: 'd', handler: (_, ctx) => services.of(ctx).greeting }) })
    const client = as('ana')
    expect(textOf(await client.readResource('note://1'))).toBe('Hello ana')
    expect(textOf(await client.getPrompt('hi'))).toBe('Hello ana')
    const { values } = await client.complete({ resource: 'note://{id}' }, { name: 'id', value: '' })
    expect(values).toEqual(['Hello ana'])
    expect(await client.listResources()).toMatchObject([{ name: 'Hello ana' }])
    expect(open()).toEqual([false, false, false, false])
  })

  it('shares its services with middleware inside', async () => {
    const seen: Work[] = []
    router.use(async ({ ctx }, next) => {
      seen.push(services.of(ctx).work)
      return next()
    })
    router.use(services)
    router.tool('greet', {
      description: 'd',
      use: [services],
      handler: (_, ctx) => void seen.push(services.of(ctx).work),
    })
    await as('ana').callTool('greet')
    expect(seen[0]).toBe(seen[1])
    expect(Work.made).toHaveLength(1)
  })

  it('works for definitions without a router, with fields that get services', async () => {
    class Greetings {
      readonly #clock: Clock
      constructor({ clock }: { clock: Clock }) {
        this.#clock = clock
      }
      greet = tool({
        description: 'd',
        handler: (_, ctx) => `${services.of(ctx).greeting} ${this.#clock.made}`,
      })
    }
    router.add(container.build(asClass(Greetings)))
    expect(textOf(await as('ana').callTool('greet'))).toBe(`Hello ana ${container.cradle.clock.made}`)
  })
})

describe('its end', () => {
  it.each([
    [
      'an error',
      () => {
        throw new Error('no')
      },
    ],
    [
      'an error that the model reads',
      () => {
        throw new ToolError('no')
      },
    ],
  ])('may be %s', async (_, fail) => {
    router.tool('fail', {
      description: 'd',
      handler(_, ctx) {
        expect(services.of(ctx).work.open).toBe(true)
        fail()
      },
    })
    expect((await as('ana').callTool('fail')).isError).toBe(true)
    expect(open()).toEqual([false])
  })

  it('comes when a cancelled handler has ended, not before', async () => {
    const cancel = new AbortController()
    const disposed = new Promise<void>((resolve) => {
      disposing = () => resolve()
    })
    let stillOpen: boolean | undefined
    router.tool('slow', {
      description: 'd',
      async handler(_, ctx) {
        const { work } = services.of(ctx)
        const aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        cancel.abort(new Error('enough'))
        await aborted
        await Promise.resolve()
        stillOpen = work.open
        ctx.signal.throwIfAborted()
      },
    })
    await expect(as('ana').callTool('slow', {}, { signal: cancel.signal })).rejects.toThrow('enough')
    await disposed
    expect([stillOpen, ...open()]).toEqual([true, false])
  })

  it('may be a time limit', async () => {
    const disposed = new Promise<void>((resolve) => {
      disposing = () => resolve()
    })
    router.tool('late', {
      description: 'd',
      timeoutMs: 10,
      async handler(_, ctx) {
        services.of(ctx).work
        await new Promise((_, reject) => ctx.signal.addEventListener('abort', reject))
      },
    })
    expect((await as('ana').callTool('late')).isError).toBe(true)
    await disposed
    expect(open()).toEqual([false])
  })

  it.each([
    ['2025-11-25', 1],
    ['2026-07-28', 2],
  ])('comes with each question that ends the run, in %s', async (protocolVersion, runs) => {
    router.tool('ask', {
      description: 'd',
      async handler(_, ctx) {
        const { work } = services.of(ctx)
        const { action } = await ctx.elicit({ message: 'Sure?', schema: { type: 'object', properties: {} } })
        return `${action} ${work.open}`
      },
    })
    const client = as('ana', {
      protocolVersion,
      elicit() {
        expect(open()).toEqual(runs === 2 ? [false] : [true])
        return { action: 'decline' }
      },
    })
    expect(textOf(await client.callTool('ask'))).toBe('decline true')
    expect(open()).toEqual(Array(runs).fill(false))
  })

  it('comes before the answer', async () => {
    let done = false
    disposing = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      done = true
    }
    router.tool('greet', { description: 'd', handler: (_, ctx) => services.of(ctx).greeting })
    await as('ana').callTool('greet')
    expect(done).toBe(true)
  })

  it('is logged where it fails, and the answer stays', async () => {
    disposing = () => Promise.reject(new Error('the connection was lost'))
    router.tool('greet', { description: 'd', handler: (_, ctx) => services.of(ctx).greeting })
    expect(textOf(await as('ana').callTool('greet'))).toBe('Hello ana')
    expect(logged).toEqual([expect.stringMatching(/could not be disposed/)])
  })
})

describe('what is no call with a scope', () => {
  it('is refused with what to do', async () => {
    const bare = new McpRouter<Env>({ exposeErrors: true, logger: { info() {}, warn() {}, error() {} } })
    bare.tool('greet', { description: 'd', handler: (_, ctx) => services.of(ctx).greeting })
    expect(textOf(await testClient(bare).callTool('greet'))).toMatch(/router\.use\(\)/)
    let later: (() => unknown) | undefined
    router.tool('leak', {
      description: 'd',
      handler(_, ctx) {
        later = () => services.of(ctx)
      },
    })
    await as('ana').callTool('leak')
    expect(() => later?.()).toThrow(/has ended/)
  })

  it('is no container', () => {
    expect(() => scopePerCall({} as never)).toThrow(/expected an Awilix container, got an object/)
    expect(() => scopePerCall(undefined as never)).toThrow(/Awilix/)
    expect(() => scopePerCall(container, { value: 1 } as never)).toThrow(/`values`/)
  })
})

it('holds in strict containers', async () => {
  const strict = createContainer({ strict: true }).register({ name: asValue('strict') })
  const scope = scopePerCall(strict, { values: () => ({ extra: 'value' }) })
  const own = new McpRouter<Env>({ logger: { info() {}, warn() {}, error() {} } })
  own.use(scope)
  own.tool('greet', {
    description: 'd',
    handler: (_, ctx) => `${scope.of(ctx).name} ${scope.of(ctx).extra}`,
  })
  expect(textOf(await testClient(own).callTool('greet'))).toBe('strict value')
})
