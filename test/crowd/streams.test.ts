/** Many open streams: what each of them costs, and that a notice reaches all of them, once. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { openStreams, type Reader, type Server, type StreamKind, startServer } from './process.js'

let server: Server | undefined
let readers: Reader[] = []
afterEach(async () => {
  for (const { socket } of readers) socket.destroy()
  readers = []
  await server?.stop()
  server = undefined
})

const openOnes = async ({ ask }: Server): Promise<number> => {
  const { streams, bare } = await ask('stats')
  return streams + bare
}

async function closeAll(from: Server): Promise<void> {
  for (const { socket } of readers) socket.destroy()
  readers = []
  await vi.waitFor(async () => expect(await openOnes(from)).toBe(0), { interval: 50, timeout: 30_000 })
}

async function bytesPerStream(kind: StreamKind, count: number): Promise<number> {
  const own = await startServer()
  server = own
  // What is loaded and compiled at the first ones is no cost of a stream.
  readers = await openStreams(own, kind, 100)
  await closeAll(own)
  const before = await own.ask('memory')
  readers = await openStreams(own, kind, count)
  const during = await own.ask('memory')
  expect(await openOnes(own)).toBe(count)
  await closeAll(own)
  server = undefined
  await own.stop()
  return (during - before) / count
}

describe('an open stream', () => {
  it('costs at most 1.3 times one that a bare route of the framework holds open', async () => {
    // So many that code compiled on the way is no part of it.
    const count = 4_000
    const bare = await bytesPerStream('bare', count)
    const ratios = {
      get: (await bytesPerStream('get', count)) / bare,
      listen: (await bytesPerStream('listen', count)) / bare,
    }
    expect(ratios.get).toBeLessThan(1.3)
    expect(ratios.listen).toBeLessThan(1.3)
  }, 120_000)
})

describe('10,000 open streams', () => {
  it.each<StreamKind>(['get', 'listen'])(
    'of the kind %s all receive a notice, once; closing them returns the memory',
    async (kind) => {
      const count = 10_000
      const own = await startServer()
      server = own
      readers = await openStreams(own, kind, 100)
      await closeAll(own)
      const before = await own.ask('memory')
      readers = await openStreams(own, kind, count)
      expect(await openOnes(own)).toBe(count)
      const during = await own.ask('memory')
      for (const round of [1, 2]) {
        await own.ask('notify')
        const heard = (): number => readers.filter((reader) => reader.notices() === round).length
        await vi.waitFor(() => expect(heard()).toBe(count), { interval: 50, timeout: 60_000 })
      }
      await closeAll(own)
      const after = await own.ask('memory')
      // What stays is bounded, whatever the number of streams: caches of tokens, and streams to come back to.
      expect(after - before).toBeLessThan((during - before) / 4)
    },
    180_000,
  )
})
