/** Promises of any make: schema libraries and apps bring their own. */

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Goes on at once when the value is there, else when it comes. */
export function whenReady<A, B>(
  value: A | PromiseLike<A>,
  next: (value: A) => B | Promise<B>,
): B | Promise<B> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value)
}

/**
 * `try … catch` around `run` and what follows it, which may each be there at once or come as a promise. Most handlers,
 * logins and schemas answer at once, and a call that waits for nothing then costs no promise; one that waits costs one here.
 */
export function attempt<A, B>(
  run: () => A | PromiseLike<A>,
  next: (value: A) => B | Promise<B>,
  onError: (error: unknown) => B | Promise<B>,
): B | Promise<B> {
  let value: A | PromiseLike<A>
  try {
    value = run()
  } catch (error) {
    return onError(error)
  }
  if (!isThenable(value)) return follow(value, next, onError)
  return Promise.resolve(value).then((known) => follow(known, next, onError), onError)
}

function follow<A, B>(
  value: A,
  next: (value: A) => B | Promise<B>,
  onError: (error: unknown) => B | Promise<B>,
): B | Promise<B> {
  try {
    const result = next(value)
    return isThenable(result) ? Promise.resolve(result).then(undefined, onError) : result
  } catch (error) {
    return onError(error)
  }
}
