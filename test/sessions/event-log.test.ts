/** The event log of a stream: every reader gets each event once, in order, or learns that some are missing. */

import fc from 'fast-check'
import { memoryStore } from 'mcp-router'
import { expect, it } from 'vitest'
import { EventLog, eventId, newStreamId, readEventId } from '../../src/sessions/event-log.js'
import { type Connection, followStream } from '../../src/sessions/read-along.js'

interface Recorder extends Connection {
  readonly got: string[]
  readonly retries: number[]
  ended: boolean
}

function recorder(): Recorder {
  let onEnd = (): void => {}
  return {
    got: [],
    retries: [],
    ended: false,
    isBehind: false,
    answer(json) {
      this.got.push(json)
    },
    notify(json) {
      this.got.push(json)
      return true
    },
    retry(retryMs) {
      this.retries.push(retryMs)
    },
    end() {
      this.ended = true
      onEnd()
    },
    onEnd(listener) {
      onEnd = listener
    },
  }
}

function make() {
  const errors: unknown[] = []
  const parts = { store: memoryStore(), session: 's', onError: (error: unknown) => errors.push(error) }
  const log = new EventLog(parts, newStreamId('answer'))
  log.writeStart()
  return { parts, log, errors }
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await undefined
}

it('delivers every event to a reader, whenever and wherever it starts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 8 }),
      fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.integer({ min: 0, max: 40 }),
      async (before, pauses, from, wait) => {
        const { parts, log } = make()
        const texts = Array.from({ length: before + pauses.length }, (_, n) => `{"n":${n + 1}}`)
        for (const text of texts.slice(0, before)) log.write(text)
        await turns(wait)
        const number = from % (before + 1)
        const connection = recorder()
        const reading = followStream(parts, { stream: log.stream, number }, connection)
        for (const [index, pause] of pauses.entries()) {
          await turns(pause)
          log.write(texts[before + index] as string, index === pauses.length - 1)
        }
        expect(await reading).toBe(true)
        await log.flushed()
        expect(connection).toMatchObject({ got: texts.slice(number), ended: true })
        await parts.store.close()
      },
    ),
    { numRuns: 200 },
  )
})

it('reports missing events and sends none', async () => {
  const { parts, log } = make()
  for (let n = 0; n < 1_001; n++) log.write('{}')
  await log.flushed()
  for (const [stream, number] of [
    [log.stream, 0],
    [newStreamId('answer'), 0],
  ] as const) {
    const connection = recorder()
    expect(await followStream(parts, { stream, number }, connection)).toBe(false)
    expect(connection.got).toEqual([])
  }
  expect(await followStream(parts, { stream: log.stream, number: 1 }, recorder())).toBe(true)
})

it('continues after a number that two machines have used', async () => {
  const { parts, log } = make()
  log.write('"a"')
  log.write('"b"')
  await log.flushed()
  const other = new EventLog(parts, log.stream, 1)
  other.write('"c"')
  other.write('"d"', true)
  await other.flushed()
  for (const [number, got] of [
    [1, ['"b"', '"c"', '"d"']],
    [2, ['"d"']],
  ] as const) {
    const following = await log.after(number)
    expect(following?.map(({ json }) => json)).toEqual(got)
  }
})

it('limits the size in bytes, too', async () => {
  const { parts, log } = make()
  for (let n = 0; n < 3; n++) log.write(JSON.stringify('x'.repeat(500_000)))
  await log.flushed()
  expect(await followStream(parts, { stream: log.stream, number: 0 }, recorder())).toBe(false)
  expect(await followStream(parts, { stream: log.stream, number: 1 }, recorder())).toBe(true)
})

it('pauses every reader and tells them when to reconnect', async () => {
  const { parts, log } = make()
  const connection = recorder()
  await followStream(parts, { stream: log.stream, number: 0 }, connection)
  log.pause(70)
  log.write('{}')
  await log.flushed()
  expect(connection).toMatchObject({ retries: [70], ended: true, got: [] })
})

it('disconnects a slow reader', async () => {
  const { parts, log } = make()
  const connection = { ...recorder(), isBehind: true }
  await followStream(parts, { stream: log.stream, number: 0 }, connection)
  log.write('{}')
  await log.flushed()
  expect(connection).toMatchObject({ ended: true, got: [] })
})

it('continues after a store error, and reports it', async () => {
  const { parts, log, errors } = make()
  await log.flushed()
  parts.store.append = () => Promise.reject(new Error('away'))
  expect([log.write('{}'), log.write('{}')]).toEqual([1, 2].map((number) => log.idOf(number)))
  await log.flushed()
  expect(errors).toHaveLength(2)
})

it('parses its own ids only', () => {
  const position = { stream: newStreamId('standalone'), number: 17 }
  expect(readEventId(eventId(position))).toEqual(position)
  for (const odd of [
    '',
    'x',
    `${position.stream}`,
    `${position.stream}.`,
    `${position.stream}.-1`,
    `b${eventId(position)}`,
  ]) {
    expect(readEventId(odd)).toBeUndefined()
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      const read = readEventId(text)
      expect(read === undefined || eventId(read) === text || Number.isSafeInteger(read.number)).toBe(true)
    }),
  )
})
