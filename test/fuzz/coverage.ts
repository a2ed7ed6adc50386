/** Which parts of our code ran, as V8 counts them. */

import { Session } from 'node:inspector/promises'

export interface Coverage {
  /** What ran since the last time, and never before. */
  fresh(): Promise<number>
  stop(): void
}

export async function watchCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const seen = new Set<string>()
  return {
    async fresh() {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const before = seen.size
      for (const { url, functions } of result) {
        if (!/\/(src|integrations)\//.test(url)) continue
        for (const { ranges } of functions) {
          // How often counts too, by its order of magnitude: loops that run longer are news.
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) seen.add(`${url}:${startOffset}-${endOffset}:${Math.floor(Math.log2(count) / 2)}`)
          }
        }
      }
      return seen.size - before
    },
    stop: () => session.disconnect(),
  }
}
