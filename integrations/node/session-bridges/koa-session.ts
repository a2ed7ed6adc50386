/** One koa-session for the request that carries a call and for the request that the call makes. */

/** What koa-session, and Koa, have on a `ctx`. */
interface Context {
  readonly app: unknown
  readonly headerSent: boolean
  readonly body: unknown
  session?: { manuallyCommit?(): Promise<void> } | null
}

/**
 * `ctx.session` of the inner request is that of the outer one, which is saved with it, cookie and all. Where the answer
 * of the outer one has begun, its session was saved too early: what comes back saves it once more, after the call.
 */
export function shareKoaSession(inner: object, carrier: unknown): () => Promise<void> {
  const outer = carrier as Context | undefined
  const property = propertyOf(inner, 'session')
  if (property?.set === undefined || outer?.app !== (inner as Context).app || !isLoaded(outer)) return nothing
  const { set: setOwn } = property
  Object.defineProperty(inner, 'session', {
    get: () => outer.session,
    set(value) {
      outer.session = value
      // It goes at once, whether or not the outer one may still say so.
      if (value === null) setOwn.call(inner, null)
    },
    configurable: true,
    enumerable: true,
  })
  return async () => {
    if (!outer.headerSent && !isStream(outer.body)) return
    try {
      await outer.session?.manuallyCommit?.()
    } catch (error) {
      // It is in the store by then; a cookie comes too late.
      if (!outer.headerSent) throw error
    }
  }
}

/** Its middleware has run. What it has loaded is a property whose name only it knows. */
function isLoaded(ctx: object | undefined): ctx is Context {
  if (ctx === undefined) return false
  return Object.getOwnPropertySymbols(ctx).some(({ description }) =>
    /contextsession/i.test(description ?? ''),
  )
}

function propertyOf(target: object, name: string): PropertyDescriptor | undefined {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found !== undefined) return found
  }
  return undefined
}

function isStream(body: unknown): boolean {
  return typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function'
}

async function nothing(): Promise<void> {}
