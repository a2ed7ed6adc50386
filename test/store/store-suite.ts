/** The common test suite of all stores. */

import fc from 'fast-check'
import type { LogBound, Store } from 'mcp-router'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** Creates stores that share their state, like machines with one server. Names are never reused between tests. */
export type MakeStores = () => Promise<{ readonly one: Store; readonly other: Store }>

const minute = 60_000
const wide: LogBound = { entries: 1_000, bytes: 1_000_000, ageMs: minute }

export function storeSuite(name: string, make: MakeStores): void {
  describe(name, () => {
    let one: Store
    let other: Store
    let count = 0
    let key: string
    beforeEach(async () => {
      ;({ one, other } = await make())
      key = `suite ${process.pid} ${count++}`
    })
    afterEach(() => Promise.all([one.close(), other.close()]))

    describe('keys', () => {
      it('are what was set last, for everybody, until they are deleted', async () => {
        expect(await one.get(key)).toBeUndefined()
        await one.set(key, 'first', minute)
        await other.set(key, 'second', minute)
        expect(await one.get(key)).toBe('second')
        expect(await other.delete(key)).toBe(true)
        expect(await one.get(key)).toBeUndefined()
        expect(await one.delete(key)).toBe(false)
      })

      it('carry any text', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.string({ unit: 'binary' }),
            fc.string({ unit: 'grapheme' }),
            async (suffix, value) => {
              const own = `${key} ${encodeURIComponent(suffix.replace(/[\ud800-\udfff]/g, ''))}`
              await one.set(own, value, minute)
              expect(await other.get(own)).toBe(value)
            },
          ),
          { numRuns: 50 },
        )
      })

      it('expire', async () => {
        await one.set(key, 'short', 1)
        await one.set(`${key} kept`, 'long', minute)
        await gone(() => one.get(key))
        expect(await one.delete(key)).toBe(false)
        expect(await one.get(`${key} kept`)).toBe('long')
      })

      it('live as long as they were set for last', async () => {
        await one.set(key, 'short', 1)
        await one.set(key, 'long', minute)
        await one.set(`${key} short`, 'x', 1)
        await gone(() => one.get(`${key} short`))
        expect(await one.get(key)).toBe('long')
      })

      it('are claimed by one of many', async () => {
        const claims = Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? one : other).claim(key, `claim ${index}`, minute),
        )
        const found = await Promise.all(claims)
        const winner = found.indexOf(undefined)
        expect(found.filter((value) => value === undefined)).toHaveLength(1)
        expect(new Set(found)).toEqual(new Set([undefined, `claim ${winner}`]))
        expect(await one.get(key)).toBe(`claim ${winner}`)
      })

      it('are free again when they expired or were deleted', async () => {
        await one.claim(key, 'a', 1)
        await gone(() => one.get(key))
        expect(await one.claim(key, 'b', minute)).toBeUndefined()
        await one.delete(key)
        expect(await other.claim(key, 'c', minute)).toBeUndefined()
      })

      it('follow a model, whatever is done in whatever order', async () => {
        const operation = fc.record({
          does: fc.constantFrom('set', 'claim', 'delete', 'get'),
          at: fc.constantFrom('a', 'b', 'c'),
          value: fc.string(),
          through: fc.boolean(),
        })
        let run = 0
        await fc.assert(
          fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
            const model = new Map<string, string>()
            const round = `${key} ${run++}`
            for (const { does, at, value, through } of operations) {
              const store = through ? one : other
              const own = `${round} ${at}`
              if (does === 'get') expect(await store.get(own)).toBe(model.get(at))
              if (does === 'delete') expect(await store.delete(own)).toBe(model.delete(at))
              if (does === 'claim') {
                expect(await store.claim(own, value, minute)).toBe(model.get(at))
                if (!model.has(at)) model.set(at, value)
              }
              if (does === 'set') {
                await store.set(own, value, minute)
                model.set(at, value)
              }
            }
          }),
          { numRuns: 40 },
        )
      })
    })

    describe('channels', () => {
      it('reach every subscriber once, the publisher too, in order', async () => {
        const [near, far, elsewhere] = [inbox(), inbox(), inbox()]
        await one.subscribe(key, near.take)
        await other.subscribe(key, far.take)
        await other.subscribe(`${key} else`, elsewhere.take)
        const sent = Array.from({ length: 50 }, (_, index) => `message ${index}`)
        // A message may arrive before `publish` resolves; closing the store then would reject it.
        const publishing = sent.map((message) => one.publish(key, message))
        await other.publish(`${key} else`, 'end')
        expect(await near.get(50)).toEqual(sent)
        expect(await far.get(50)).toEqual(sent)
        expect(await elsewhere.get(1)).toEqual(['end'])
        expect([near.size, far.size]).toEqual([50, 50])
        await Promise.all(publishing)
      })

      it('tell the same listener twice that subscribed twice, and stop one at a time', async () => {
        const box = inbox()
        const stop = await one.subscribe(key, box.take)
        await one.subscribe(key, box.take)
        await other.publish(key, 'both')
        expect(await box.get(2)).toEqual(['both', 'both'])
        stop()
        stop()
        await other.publish(key, 'one')
        await other.publish(key, 'last')
        expect(await box.get(4)).toEqual(['both', 'both', 'one', 'last'])
      })

      it('keep quiet towards those that stopped, and for nobody', async () => {
        const [stopped, stays] = [inbox(), inbox()]
        const stop = await one.subscribe(key, stopped.take)
        await one.subscribe(key, stays.take)
        stop()
        await one.publish(key, 'x')
        await one.publish(`${key} nobody`, 'x')
        expect(await stays.get(1)).toEqual(['x'])
        expect(stopped.size).toBe(0)
      })

      it('reach the others although one listener throws or publishes', async () => {
        const box = inbox()
        let answering: Promise<void> | undefined
        await one.subscribe(key, () => {
          throw new Error('mine')
        })
        await one.subscribe(key, (message) => {
          if (message === 'first') answering = one.publish(key, 'answer')
        })
        await one.subscribe(key, box.take)
        await one.publish(key, 'first')
        expect(await box.get(2)).toEqual(['first', 'answer'])
        await answering
      })
    })

    describe('logs', () => {
      it('are read in order, from any place, by everybody', async () => {
        const ids: string[] = []
        for (const value of ['a', 'b', 'c']) ids.push(await one.append(key, value, wide))
        const values = async (after?: string) => (await other.read(key, after))?.map(({ value }) => value)
        expect(await values()).toEqual(['a', 'b', 'c'])
        expect((await other.read(key))?.map(({ id }) => id)).toEqual(ids)
        expect(await values(ids[0])).toEqual(['b', 'c'])
        expect(await values(ids[2])).toEqual([])
        expect(new Set(ids).size).toBe(3)
      })

      it('are empty, not missing, before the first entry', async () => {
        expect(await one.read(key)).toEqual([])
      })

      it('know that they no longer know', async () => {
        const ids: string[] = []
        for (const value of ['a', 'b', 'c', 'd']) {
          ids.push(await one.append(key, value, { ...wide, entries: 2 }))
        }
        expect((await one.read(key))?.map(({ value }) => value)).toEqual(['c', 'd'])
        expect((await one.read(key, ids[1]))?.map(({ value }) => value)).toEqual(['c', 'd'])
        expect(await one.read(key, ids[0])).toBeUndefined()
        expect(await one.read(key, 'of nobody')).toBeUndefined()
        expect(await one.read(`${key} other`, ids[0])).toBeUndefined()
      })

      it('drop the oldest beyond a number of bytes, counted as UTF-8', async () => {
        for (const value of ['éé', 'éé', 'éé']) await one.append(key, value, { ...wide, bytes: 8 })
        expect(await one.read(key)).toHaveLength(2)
      })

      it('drop what is too old, and go when all of it is', async () => {
        const id = await one.append(key, 'old', { ...wide, ageMs: 1 })
        await gone(async () => ((await one.read(key)) ?? []).length || undefined)
        expect(await one.append(key, 'new', wide)).not.toBe(id)
        expect((await one.read(key))?.map(({ value }) => value)).toEqual(['new'])
      })

      it('keep a suffix of what was appended, never more than the bound, whoever appends', async () => {
        let run = 0
        const entry = fc.record({ value: fc.string({ minLength: 1, maxLength: 20 }), through: fc.boolean() })
        await fc.assert(
          fc.asyncProperty(
            fc.array(entry, { maxLength: 30 }),
            fc.integer({ min: 1, max: 10 }),
            fc.integer({ min: 60, max: 200 }),
            async (appended, entries, bytes) => {
              const own = `${key} ${run++}`
              for (const { value, through } of appended) {
                await (through ? one : other).append(own, value, { entries, bytes, ageMs: minute })
              }
              const kept = ((await one.read(own)) ?? []).map(({ value }) => value)
              expect(kept).toEqual(appended.map(({ value }) => value).slice(appended.length - kept.length))
              expect(kept.length).toBeLessThanOrEqual(entries)
              expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(bytes)
              // What fits is kept.
              if (appended.length > 0) expect(kept.length).toBeGreaterThan(0)
            },
          ),
          { numRuns: 40 },
        )
      })
    })

    it('can be closed twice', async () => {
      await one.close()
      await one.close()
    })
  })
}

/** Waits until keys have expired. */
async function gone(look: () => Promise<unknown>): Promise<void> {
  while ((await look()) !== undefined) await new Promise((resolve) => setImmediate(resolve))
}

/** Collects messages and waits for a number of them. */
function inbox() {
  const messages: string[] = []
  let wake = (): void => {}
  return {
    take: (message: string): void => {
      messages.push(message)
      wake()
    },
    get size(): number {
      return messages.length
    },
    async get(count: number): Promise<string[]> {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve))
      return [...messages]
    },
  }
}
