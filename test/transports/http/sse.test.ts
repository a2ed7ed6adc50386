/** Event streams: reading by iterator or sink, slow readers, and keep-alives. */

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventStream, KeepAlive } from '../../../src/transports/http/sse.js'
import { passTime } from '../../support/time.js'

/** A sink that takes pieces until it's full; `drain` makes room. */
function sink(stream: EventStream, room = Number.POSITIVE_INFINITY) {
  const self = {
    pieces: [] as string[],
    ended: 0,
    room,
    write(piece: string): boolean {
      self.pieces.push(piece)
      self.room -= 1
      return self.room > 0
    },
    end(): void {
      self.ended += 1
    },
    drain(): void {
      self.room = room
      stream.resume()
    },
  }
  stream.pipeTo(self)
  return self
}

const framed = (text: string): string => `event: message\ndata: "${text}"\n\n`

describe('an event stream', () => {
  it('sends the same text to an iterator and a sink, in any order of events', async () => {
    const step = fc.constantFrom('say', 'wait')
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, room) => {
          const [iterated, piped] = [new EventStream(), new EventStream()]
          const taken = sink(piped, room)
          const reading = (async () => {
            let text = ''
            for await (const piece of iterated) text += piece
            return text
          })()
          let said = ''
          for (const [index, does] of steps.entries()) {
            if (does === 'wait') {
              await new Promise((resolve) => setImmediate(resolve))
              taken.drain()
            } else {
              for (const stream of [iterated, piped]) stream.answer(JSON.stringify(String(index)))
              said += framed(String(index))
            }
          }
          iterated.end()
          piped.end()
          await Promise.resolve()
          while (taken.ended === 0) taken.drain()
          expect(await reading).toBe(said)
          expect([taken.pieces.join(''), taken.ended]).toEqual([said, 1])
        },
      ),
    )
  })

  it('sends the writes of one turn as one piece, and nothing to a full sink', async () => {
    const stream = new EventStream()
    const taken = sink(stream, 1)
    stream.answer('"a"')
    stream.answer('"b"')
    await Promise.resolve()
    expect(taken.pieces).toEqual([framed('a') + framed('b')])
    stream.answer('"c"')
    stream.end()
    await Promise.resolve()
    expect([taken.pieces.length, taken.ended]).toEqual([1, 0])
    taken.drain()
    taken.drain()
    expect([taken.pieces.at(-1), taken.ended]).toEqual([framed('c'), 1])
  })

  it('calls every listener once at the end, and reports a disconnect', () => {
    const gone = vi.fn()
    const [left, ended] = [new EventStream(gone), new EventStream(gone)]
    const heard = [vi.fn(), vi.fn(), vi.fn()]
    for (const listener of heard.slice(0, 2)) left.onEnd(listener)
    left.leave()
    left.leave()
    left.end()
    left.onEnd(heard[2] as () => void)
    ended.end()
    ended.leave()
    for (const listener of heard) expect(listener).toHaveBeenCalledTimes(1)
    expect(gone).toHaveBeenCalledTimes(1)
    expect(left.notify('1')).toBe(false)
  })

  it('refuses notifications to a slow reader, but not responses', () => {
    const stream = new EventStream()
    const big = JSON.stringify('x'.repeat(1024 * 1024))
    const sent = Array.from({ length: 40 }, () => stream.notify(big)).filter(Boolean).length
    expect(sent).toBe(8)
    expect(stream.isBehind).toBe(true)
    stream.answer(big)
    const taken = sink(stream)
    expect(stream.isBehind).toBe(false)
    expect(taken.pieces[0]?.length).toBeGreaterThan((sent + 1) * big.length)
  })

  it('refuses notifications at a lower limit to a reader that reads nothing for a second', () => {
    const pass = passTime()
    const stream = new EventStream()
    const big = JSON.stringify('x'.repeat(1024 * 1024))
    for (let i = 0; i < 40; i++) stream.answer(big)
    pass(2_000)
    for (let i = 0; i < 4; i++) expect(stream.notify(big)).toBe(true)
    pass(1_000)
    expect(stream.isBehind).toBe(false)
    pass(1)
    expect(stream.notify('1')).toBe(false)
    sink(stream)
    expect(stream.notify('1')).toBe(true)
  })
})

describe('keep-alives', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('keep idle streams alive with one timer, which stops with the last stream', async () => {
    const keepAlive = new KeepAlive(15_000)
    const streams = [new EventStream(), new EventStream()]
    const taken = streams.map((stream) => sink(stream))
    for (const stream of streams) keepAlive.add(stream)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(30_000)
    for (const { pieces } of taken) expect(pieces).toEqual([': keepalive\n\n', ': keepalive\n\n'])
    for (const stream of streams) keepAlive.delete(stream)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('send nothing to a reader that is behind', async () => {
    const keepAlive = new KeepAlive(15_000)
    const stream = new EventStream()
    keepAlive.add(stream)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sink(stream).pieces).toEqual([': keepalive\n\n'])
    keepAlive.delete(stream)
  })
})
