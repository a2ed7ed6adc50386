/** Promises of another make: they have `then`, and nothing else of a `Promise`. */

/** One that resolves with `value`. */
export function later<T>(value: T): PromiseLike<T> {
  return awaitable(() => Promise.resolve(value))
}

/** One that rejects, and is reported as unhandled unless somebody handles that. */
export function failingLater(error: unknown): PromiseLike<never> {
  const rejected = Promise.reject(error)
  return awaitable(() => rejected)
}

function awaitable<T>(settle: () => Promise<T>): PromiseLike<T> {
  // biome-ignore lint/suspicious/noThenProperty: being awaitable is all that these are for
  return { then: (done, failed) => settle().then(done, failed) }
}
