/** Compares two ways to do the same work. */

const rounds = 41

/** Microseconds per call. */
export interface Costs {
  readonly ours: number
  readonly against: number
}

export interface Sides {
  readonly ours: () => unknown
  readonly bare: () => unknown
}

/** Returns the medians of alternating rounds, so that disturbances affect both sides. */
export async function compare(calls: number, { ours, bare }: Sides): Promise<Costs> {
  const times = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await microseconds(bare, calls))
    times.ours.push(await microseconds(ours, calls))
  }
  return { ours: median(times.ours), against: median(times.bare) }
}

/** Measures the CPU time of one call, which other processes don't affect. */
async function microseconds(run: () => unknown, calls: number): Promise<number> {
  const started = process.cpuUsage()
  for (let i = 0; i < calls; i++) await run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / calls
}

export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
