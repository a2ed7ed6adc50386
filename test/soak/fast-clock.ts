/** Time that passes faster for a whole process: whatever one of its clocks begins, a clock of the same speed ends. */

const RealDate = Date

/** From now on, for what is still to come. What the platform does by itself, such as closing idle connections, does not hurry. */
export function hurry(times: number): void {
  const [wall, count] = [RealDate.now, performance.now.bind(performance)]
  const [startedAt, started] = [wall(), count()]
  const now = (): number => startedAt + (wall() - startedAt) * times
  globalThis.Date = class extends RealDate {
    static override now = now
    constructor(...parts: [] | [number]) {
      super(...((parts.length === 0 ? [now()] : parts) as [number]))
    }
  } as DateConstructor
  performance.now = () => started + (count() - started) * times
  globalThis.setTimeout = hurried(globalThis.setTimeout, times)
  globalThis.setInterval = hurried(globalThis.setInterval, times)
}

function hurried<T extends typeof setTimeout | typeof setInterval>(real: T, times: number): T {
  const start = real as unknown as (run: () => void, ms: number, ...args: unknown[]) => NodeJS.Timeout
  const fast = (run: () => void, ms = 0, ...args: unknown[]): NodeJS.Timeout =>
    start(run, ms / times, ...args)
  return Object.assign(fast, real) as unknown as T
}
