/** Time, and what is still to come, without waiting for it. */
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest'

/** The real one, also while a test has fake timers. */
const immediate = setImmediate

/** Resolves when promises have settled and what nobody caught was reported. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => immediate(resolve))
}

/** For the rest of this test no timer fires unless `vi` moves the time on. */
export function stopTime(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

/** In each test of this file the time of day stands still; what is returned sets it so many milliseconds off the real one. */
export function jumpingTimeOfDay(): (ms: number) => void {
  let began: number
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    began = Date.now()
  })
  afterEach(() => void vi.useRealTimers())
  return (ms) => void vi.setSystemTime(began + ms)
}

/**
 * For the rest of this test the clock that nobody sets, which is not that of the day, stands still; what is returned lets
 * milliseconds pass on it. Timers run as ever.
 */
export function passTime(): (ms: number) => void {
  const began = Math.floor(performance.now())
  let passed = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => began + passed)
  onTestFinished(() => spy.mockRestore())
  return (ms) => {
    passed += ms
  }
}

/**
 * For the rest of this test timers of this length alone are held; all others run as ever. `fire` ends those that wait,
 * and resolves when what they began has settled.
 */
export function holdTimers(ms: number): { fire(): Promise<void>; readonly waiting: number } {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const held = new Map<unknown, () => void>()
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    listener: (...given: unknown[]) => void,
    delay?: number,
    ...given: unknown[]
  ) => {
    const timer = set(listener, delay, ...given)
    if (delay === ms) held.set(timer, () => listener(...given))
    return timer
  }) as typeof setTimeout)
  const clearing = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer)
    clear(timer)
  })
  onTestFinished(() => {
    setting.mockRestore()
    clearing.mockRestore()
  })
  return {
    get waiting() {
      return held.size
    },
    async fire() {
      const due = [...held]
      held.clear()
      for (const [timer, listener] of due) {
        clear(timer as NodeJS.Timeout)
        listener()
      }
      await settled()
    },
  }
}

/** Milliseconds that this process worked since then: a busy machine makes them no more, as it does the time that passes. */
export function stopwatch(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}

/** The rejections of this test that nobody handled, as they come: look after `settled()`. */
export function unhandledRejections(): unknown[] {
  const reasons: unknown[] = []
  const listener = (reason: unknown): void => void reasons.push(reason)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
  return reasons
}
