/** The scan of large texts before parsing accepts and refuses the same texts as parsing them. */
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { readText } from '../../../src/transports/http/body.js'

const limits = { maxDepth: 5, maxElements: 12 }
const padding = ' '.repeat(64 * 1024)

function outcome(text: string): unknown {
  try {
    return readText(text, limits)
  } catch (error) {
    return (error as Error).message
  }
}

const awkward = fc.string({ unit: fc.constantFrom(...'[]{},:"\\a') })
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 7 },
    awkward,
    fc.constantFrom(null, 1, true),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(awkward, tie('json'), { maxKeys: 4 }),
  ),
}))

it('has the same limits for texts of every length', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value)
      expect(outcome(padding + text)).toEqual(outcome(text))
    }),
  )
})

it.each([
  ['2,000,000 brackets', '['.repeat(2_000_000) + ']'.repeat(2_000_000), 'maxDepth'],
  ['objects that never close', '{"a":'.repeat(100_000), 'maxDepth'],
  ['1,000,000 numbers', `[${'1,'.repeat(1_000_000)}1]`, 'maxElements'],
  ['1,000,000 empty lists', `[${'[],'.repeat(1_000_000)}[]]`, 'maxElements'],
])('refuses %s without parsing them', (_, text, limit) => {
  const parse = vi.spyOn(JSON, 'parse')
  expect(outcome(text)).toContain(limit)
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})

it.each(['"', '["a', '["a\\"', `"${'\\'.repeat(9)}"`, ']]]]', '{]'])('refuses %s as invalid JSON', (text) => {
  expect(outcome(padding + text)).toBe(outcome(text))
})
