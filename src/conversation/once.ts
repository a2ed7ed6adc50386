/** `ctx.once()`: what must not happen again when a handler runs again. */

import type { Store } from '../store/store.js'

export interface Once {
  readonly store: Store
  /** In the store; one conversation's keys are another one's never. */
  readonly key: string
  readonly ttlMs: number
}

const running = 'running'

/**
 * Runs `work` unless it has run, or runs now, under this key; resolves to its result, which must be JSON. A throw is
 * not remembered.
 */
export async function once<T>({ store, key, ttlMs }: Once, work: () => T | PromiseLike<T>): Promise<T> {
  for (;;) {
    const found = await store.claim(key, running, ttlMs)
    if (found === undefined) return run({ store, key, ttlMs }, work)
    if (found !== running) return resultOf(found)
    const told = await nextChange(store, key)
    if (told !== undefined) return resultOf(told)
  }
}

async function run<T>({ store, key, ttlMs }: Once, work: () => T | PromiseLike<T>): Promise<T> {
  let text: string
  try {
    const result = await work()
    text = JSON.stringify({ result })
  } catch (error) {
    await store.delete(key)
    await store.publish(key, '')
    throw error
  }
  await store.set(key, text, ttlMs)
  await store.publish(key, text)
  return resultOf(text)
}

/** What the other runner came to; `undefined` when it failed, or came to an end before we listened. */
async function nextChange(store: Store, key: string): Promise<string | undefined> {
  let hear: (text: string) => void
  const heard = new Promise<string>((resolve) => {
    hear = resolve
  })
  const stop = await store.subscribe(key, (text) => hear(text))
  try {
    if ((await store.get(key)) !== running) return undefined
    return (await heard) || undefined
  } finally {
    stop()
  }
}

/** As every later runner gets it: through JSON. */
function resultOf<T>(text: string): T {
  return (JSON.parse(text) as { result: T }).result
}
