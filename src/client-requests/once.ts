/** `ctx.once()`: work that isn't repeated when a handler runs again. */

import { poll } from '../store/retries.js'
import type { Store } from '../store/store.js'

export interface Once {
  readonly store: Store
  /** The key in the store, unique to this call. */
  readonly key: string
  readonly ttlMs: number
  /** Calls the listener when this run ends. Returns a function that removes the listener. */
  readonly whenOver: (listener: (reason: Error) => void) => () => void
  /** The name of this run, if no other can be in progress: then a run that began before was cut off. */
  readonly alone?: string | undefined
}

const running = 'running'
/** The work was done but its result can't be stored. Repeating it would be worse. */
const unusable = 'unusable'

/**
 * Runs `work` unless it has run, or runs now, under this key; resolves to its result, which must be JSON. A throw is
 * not remembered.
 */
export async function once<T>(about: Once, work: () => T | PromiseLike<T>): Promise<T> {
  const { store, key, ttlMs } = about
  const mine = markOf(about)
  for (;;) {
    const found = await store.claim(key, mine, ttlMs)
    if (found === undefined) return run(about, work)
    if (about.alone !== undefined && found !== mine && isRunning(found)) throw cutOff()
    if (!isRunning(found)) {
      // Keeps the result as long as the call may go on.
      await store.set(key, found, ttlMs)
      return resultOf(found)
    }
    const told = await nextChange(about)
    if (told !== undefined) return resultOf(told)
  }
}

function markOf({ alone }: Once): string {
  return alone === undefined ? running : `${running} ${alone}`
}

function isRunning(found: string | undefined): boolean {
  return found?.startsWith(running) === true
}

function cutOff(): Error {
  return new Error(
    'once(): the process that did this ended in the middle of it; whether it was done is not known, so it is not done again',
  )
}

async function run<T>({ store, key, ttlMs }: Once, work: () => T | PromiseLike<T>): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    await store.delete(key)
    await store.publish(key, '')
    throw error
  }
  const text = textOf(result)
  await store.set(key, text, ttlMs)
  await store.publish(key, text)
  return resultOf(text)
}

/** Resolves to the other run's result; `undefined` when it failed, or ended before we listened. */
async function nextChange({ store, key, whenOver }: Once): Promise<string | undefined> {
  let hear: (text: string) => void = nothing
  let leave: (reason: Error) => void = nothing
  const heard = new Promise<string>((resolve, reject) => {
    hear = resolve
    leave = reject
  })
  heard.catch(nothing)
  const stopWaiting = whenOver((reason) => leave(reason))
  const stop = await store.subscribe(key, (text) => hear(text))
  // The other process may have died before it published its result.
  const stopLooking = poll(async () => {
    const found = await store.get(key)
    if (!isRunning(found)) hear(found ?? '')
  })
  try {
    if (!isRunning(await store.get(key))) return undefined
    return (await heard) || undefined
  } finally {
    stop()
    stopLooking()
    stopWaiting()
  }
}

function textOf(result: unknown): string {
  try {
    return JSON.stringify({ result })
  } catch {
    return unusable
  }
}

/** Parses a stored result. The first run gets its own result through JSON, too. */
function resultOf<T>(text: string): T {
  if (text === unusable)
    throw new TypeError('once(): expected a result that JSON can carry; it was done all the same')
  return (JSON.parse(text) as { result: T }).result
}

const nothing = (): void => {}
