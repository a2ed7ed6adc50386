/** Replaces `node:timers/promises` in the page's bundle, as far as the client uses it. */

export function setTimeout<T>(
  milliseconds: number,
  value: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = globalThis.setTimeout(() => resolve(value), milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
