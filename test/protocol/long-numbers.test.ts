import fc from 'fast-check'
import { memoryStore } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/protocol/types.js'
import { toLog } from '../../src/support/logger.js'
import { LongNumber, parseJson, rounded, stringifyJson } from '../../src/support/long-numbers.js'
import { Tasks } from '../../src/tasks/tasks.js'
import { silent } from '../support/silent.js'

describe('JSON with numbers that JavaScript would round', () => {
  it.each([
    '1917043659912705297',
    '-9007199254740993',
    '{"id":1917043659912705297,"n":0.1,"a":[9007199254740993]}',
    '{"price":12345678901234.5678,"tiny":0.12345678901234567891,"huge":1e400,"exp":1.2345678901234567891E+3}',
    String.raw`{"\"1917043659912705297":"1917043659912705297","b":"\\","c":9007199254740993}`,
    '{"__proto__":9007199254740993}',
    '[[],{},true,null,"9007199254740993:",9007199254740993]',
  ])('keeps each digit: %s', (text) => {
    expect(stringifyJson(parseJson(text))).toBe(text)
  })

  it('leaves numbers alone that survive', () => {
    const text = '{"a":0.30000000000000004,"b":9007199254740991,"c":1e21,"d":"12345678901234567890"}'
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it('gives numbers to whatever else writes or counts them', () => {
    const { id } = parseJson('{"id":9007199254740993}') as { id: LongNumber }
    expect(id).toBeInstanceOf(LongNumber)
    expect(`${id.toString()} ${Number(id)}`).toBe('9007199254740993 9007199254740992')
    expect(rounded({ id })).toEqual({ id: 9007199254740992 })
  })

  it('takes no text for a number, whatever it looks like', () => {
    let mark = ''
    const spy = { toJSON: () => (mark = String(new LongNumber('1').toJSON())) }
    stringifyJson({ spy, id: new LongNumber('9007199254740993') })
    expect(stringifyJson({ a: `${mark.slice(0, -1)}x` })).toBe(JSON.stringify({ a: `${mark.slice(0, -1)}x` }))
  })

  it('refuses what is no JSON, as JSON.parse does', () => {
    for (const text of ['{"a":9007199254740993', '[9007199254740993,]', '09007199254740993', '']) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    }
  })

  it('reads and writes everything else as JSON does', () => {
    const leaf = fc.oneof(fc.string(), fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null))
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
      ),
    })).any
    const same = fc.property(value, fc.bigInt(), (any, big) => {
      const text = `[${JSON.stringify(any)},${big}]`
      expect(stringifyJson(parseJson(text))).toBe(`[${stringifyJson(any)},${big}]`)
      expect(rounded(parseJson(text))).toEqual(JSON.parse(text))
    })
    fc.assert(same)
  })
})

describe('a task', () => {
  it('keeps the digits of its result in the store', async () => {
    const limits = { maxRunning: 10, maxKept: 10, maxKeptBytes: 1_000_000 }
    const tasks = new Tasks(memoryStore(), toLog(silent), limits)
    const about = { tool: 't', owner: 'a', ttlMs: 60_000, pollIntervalMs: 1_000 }
    const task = await tasks.create(about)
    const result = parseJson('{"content":[],"structuredContent":{"id":1917043659912705297}}') as Result
    await tasks.end(task, { status: 'completed', result })
    expect(stringifyJson((await tasks.find(task.id))?.end?.result)).toContain('1917043659912705297')
    tasks.close()
  })
})
