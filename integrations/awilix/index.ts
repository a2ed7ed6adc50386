/** `mcp-router/awilix`: an Awilix scope for each call. */

import type { AwilixContainer } from 'awilix'
import { checkOptions } from '../../src/adapter.js'
import { aFunction, type BaseContext, type Context, describe, exchangeOf } from '../../src/internal.js'

/** Options of `scopePerCall()`. */
export interface ScopeOptions<Ctx extends BaseContext, V extends object> {
  /** Returns values to register in the call's scope, such as its user. They're injected like services. */
  readonly values?: ((ctx: Ctx) => V) | undefined
}

/** Middleware that gives every call its own scope. */
export interface CallScope<C extends object, Ctx extends BaseContext> {
  (call: { readonly ctx: Ctx }, next: () => Promise<unknown>): Promise<unknown>
  /**
   * Returns the services of a running call: singletons of the container, and scoped services of this call.
   * @throws Error if the middleware doesn't wrap the call, or the call has ended.
   */
  of(ctx: BaseContext): C
}

/**
 * Creates middleware with a scope of `container` for each call. The scope is created when a service is first requested,
 * and disposed when the handler has returned or thrown. The response waits for the disposers. Their errors are logged.
 *
 * ```ts
 * const services = scopePerCall(container, { values: (ctx) => ({ user: ctx.user }) })
 * router.use(services)
 * router.tool('task_list', { …, handler: (_, ctx) => services.of(ctx).tasks.list() })
 * ```
 * @throws TypeError if `container` isn't an Awilix container, and for unknown options.
 */
export function scopePerCall<
  C extends object,
  V extends object = Record<never, never>,
  Ctx extends BaseContext = Context,
>(container: AwilixContainer<C>, options: ScopeOptions<Ctx, V> = {}): CallScope<C & V, Ctx> {
  if (typeof (container as Partial<AwilixContainer> | undefined)?.createScope !== 'function')
    throw new TypeError(`scopePerCall(): expected an Awilix container, got ${describe(container)}`)
  checkOptions('scopePerCall()', options, { known: { values: aFunction } })
  const scopes = new WeakMap<object, Scope<C & V> | 'ended'>()

  const middleware = async (
    { ctx }: { readonly ctx: Ctx },
    next: () => Promise<unknown>,
  ): Promise<unknown> => {
    // The middleware can run twice: it may also be on an outer router or on the definition.
    if (scopes.has(ctx)) return next()
    const scope = new Scope<C & V>(container, () => options.values?.(ctx) ?? {})
    scopes.set(ctx, scope)
    try {
      return await next()
    } finally {
      scopes.set(ctx, 'ended')
      await scope
        .dispose()
        .catch((error) => exchangeOf(ctx).services.log.error(disposeFailed, { err: error }))
    }
  }
  const of = (ctx: BaseContext): C & V => {
    const scope = scopes.get(ctx)
    if (scope === undefined) throw new Error(noScope)
    if (scope === 'ended')
      throw new Error('scopePerCall(): the call has ended, and its services are disposed')
    return scope.services
  }
  return Object.assign(middleware, { of })
}

const disposeFailed = 'scopePerCall(): the services of a call could not be disposed'
const noScope =
  'scopePerCall(): this call has no scope; add the middleware with router.use() before the definitions'

/** The scope of one call, created on first use because many calls need no services. */
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

/** Does what Awilix's `asValue()` does, without loading Awilix. */
function constant<T>(value: T): { resolve: () => T; isLeakSafe: true } {
  return { resolve: () => value, isLeakSafe: true }
}
