/** Continues with a value or with a promise of it, without creating a promise for values. */

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/**
 * Calls `next` with the value: at once, or when its promise resolves. `self` is passed on to `next`, so that `next` needs no
 * closure per call.
 */
export function whenReady<A, B>(value: A | PromiseLike<A>, next: (value: A) => B | Promise<B>): B | Promise<B>
export function whenReady<A, B, S>(
  value: A | PromiseLike<A>,
  next: (value: A, self: S) => B | Promise<B>,
  self: S,
): B | Promise<B>
export function whenReady<A, B, S>(
  value: A | PromiseLike<A>,
  next: (value: A, self: S) => B | Promise<B>,
  self?: S,
): B | Promise<B> {
  return isThenable(value) ? whenThere(value, next, self as S) : next(value, self as S)
}

function whenThere<A, B, S>(
  value: PromiseLike<A>,
  next: (value: A, self: S) => B | Promise<B>,
  self: S,
): Promise<B> {
  return Promise.resolve(value).then((known) => next(known, self))
}

/** The steps of `attempt`. Each gets `self`, as in `whenReady`. */
export interface Steps<A, B, S> {
  run(self: S): A | PromiseLike<A>
  next(value: A, self: S): B | Promise<B>
  onError(error: unknown, self: S): B | Promise<B>
}

/**
 * `try … catch` around `run` and `next`, each of which may return a value or a promise. Most handlers, logins and schemas
 * are synchronous; a call that waits for nothing creates no promise.
 */
export function attempt<A, B, S>(steps: Steps<A, B, S>, self: S): B | Promise<B> {
  let value: A | PromiseLike<A>
  try {
    value = steps.run(self)
  } catch (error) {
    return steps.onError(error, self)
  }
  return isThenable(value) ? attemptLater(value, steps, self) : follow(value, steps, self)
}

function attemptLater<A, B, S>(value: PromiseLike<A>, steps: Steps<A, B, S>, self: S): Promise<B> {
  return Promise.resolve(value).then(
    (known) => follow(known, steps, self),
    (error) => steps.onError(error, self),
  )
}

function follow<A, B, S>(value: A, steps: Steps<A, B, S>, self: S): B | Promise<B> {
  try {
    const result = steps.next(value, self)
    return isThenable(result) ? followLater(result, steps, self) : result
  } catch (error) {
    return steps.onError(error, self)
  }
}

function followLater<A, B, S>(result: Promise<B>, steps: Steps<A, B, S>, self: S): Promise<B> {
  return Promise.resolve(result).then(undefined, (error) => steps.onError(error, self))
}
