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
 * `try … catch` around what may come at once or as a promise. Most handlers, logins and schemas answer at once, and a
 * call that waits for nothing then costs no promise.
 */
export function recover<T>(
  run: () => T | PromiseLike<T>,
  onError: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const value = run()
    return isThenable(value) ? Promise.resolve(value).then(undefined, onError) : value
  } catch (error) {
    return onError(error)
  }
}
