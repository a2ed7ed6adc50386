/** Shares one koa-session between the request that carries a call and the inner request of the call. */

/** Properties that Koa and koa-session put on a `ctx`. */
interface Context {
  readonly app: unknown
  readonly headerSent: boolean
  readonly body: unknown
  session?: { manuallyCommit?(): Promise<void> } | null
}

/**
 * Makes `ctx.session` of the inner request the session of the outer request, which saves it and sends its cookie. If
 * the headers of the outer response were already sent, that happened too early: the returned function saves the
 * session again after the call.
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
      // Also destroys the stored session at once: the outer response may already be sent.
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
      // The session is stored by now. Only its cookie couldn't be set.
      if (!outer.headerSent) throw error
    }
  }
}

/** Whether koa-session has run. It keeps its state under a symbol that it doesn't export. */
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
