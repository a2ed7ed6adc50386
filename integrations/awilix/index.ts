/** Services with a lifetime, from an Awilix container: `mcp-router/awilix`. */

import type { AwilixContainer } from 'awilix'
import { checkOptions } from '../../src/adapter.js'
import { aFunction, type BaseContext, type Context, describe, exchangeOf } from '../../src/internal.js'

/** What is put into the scope of a call. */
export interface ScopeOptions<Ctx extends BaseContext, V extends object> {
  /** What this call is about, registered in its scope: services get it as they get each other. */
  readonly values?: ((ctx: Ctx) => V) | undefined
}

/** Middleware that gives every call a scope of its own. */
export interface CallScope<C extends object, Ctx extends BaseContext> {
  (call: { readonly ctx: Ctx }, next: () => Promise<unknown>): Promise<unknown>
  /**
   * The services of a running call: singletons of the container, scoped ones of this call.
   * @throws Error where the middleware is not around the call, and once the call is over.
   */
  of(ctx: BaseContext): C
}

/**
 * A scope of `container` for each call, made when something asks for a service and disposed when the handler has ended,
 * however it did. The answer waits for that; what a disposer throws is logged.
 *
 * ```ts
 * const services = scopePerCall(container, { values: (ctx) => ({ user: ctx.user }) })
 * router.use(services)
 * router.tool('task_list', { …, handler: (_, ctx) => services.of(ctx).tasks.list() })
 * ```
 * @throws TypeError for what is no container, and for options that do not exist.
 */
export function scopePerCall<
  C extends object,
  V extends object = Record<never, never>,
  Ctx extends BaseContext = Context,
>(container: AwilixContainer<C>, options: ScopeOptions<Ctx, V> = {}): CallScope<C & V, Ctx> {
  if (typeof (container as Partial<AwilixContainer> | undefined)?.createScope !== 'function')
    throw new TypeError(`scopePerCall(): expected an Awilix container, got ${describe(container)}`)
  checkOptions('scopePerCall()', options, { known: { values: aFunction } })
  const scopes = new WeakMap<object, Scope<C & V> | 'over'>()

  const middleware = async (
    { ctx }: { readonly ctx: Ctx },
    next: () => Promise<unknown>,
  ): Promise<unknown> => {
    // An outer router, or the definition, has it too.
    if (scopes.has(ctx)) return next()
    const scope = new Scope<C & V>(container, () => options.values?.(ctx) ?? {})
    scopes.set(ctx, scope)
    try {
      return await next()
    } finally {
      scopes.set(ctx, 'over')
      await scope.dispose().catch((error) => exchangeOf(ctx).services.log.error(failed, { err: error }))
    }
  }
  const of = (ctx: BaseContext): C & V => {
    const scope = scopes.get(ctx)
    if (scope === undefined) throw new Error(outside)
    if (scope === 'over') throw new Error('scopePerCall(): the call is over, and its services are disposed')
    return scope.services
  }
  return Object.assign(middleware, { of })
}

const failed = 'scopePerCall(): the services of a call could not be disposed'
const outside = 'scopePerCall(): this call has no scope: router.use() it before'

/** The scope of one call. Most calls need few services, many none. */
class Scope<C extends object> {
  readonly #container: AwilixContainer<object>
  readonly #values: () => object
  #scope: AwilixContainer<object> | undefined

  constructor(container: AwilixContainer<object>, values: () => object) {
    this.#container = container
    this.#values = values
  }

  get services(): C {
    this.#scope ??= this.#open()
    return this.#scope.cradle as C
  }

  async dispose(): Promise<void> {
    await this.#scope?.dispose()
  }

  #open(): AwilixContainer<object> {
    const scope = this.#container.createScope()
    for (const [name, value] of Object.entries(this.#values())) scope.register(name, constant(value))
    return scope
  }
}

/** As `asValue()` of Awilix, which need not be loaded for it. */
function constant<T>(value: T): { resolve: () => T; isLeakSafe: true } {
  return { resolve: () => value, isLeakSafe: true }
}
