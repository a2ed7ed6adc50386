/** Tables that fit. */

import { describe, expect, it } from 'vitest'
import { textWidth, toTable, truncate } from '../../../integrations/cli/terminal/table.js'

const head = ['NAME', 'EMPTY', 'DESCRIPTION']

describe('a table', () => {
  it('has columns as wide as their cells, and none that are empty', () => {
    expect(
      toTable(head, [
        ['a', '', 'first'],
        ['long name', '', ''],
      ]),
    ).toBe(['NAME       DESCRIPTION', 'a          first', 'long name'].join('\n'))
  })

  it('takes no more columns of the terminal than there are', () => {
    const rows = [
      ['name', '', 'words and words and words and words'],
      ['名前', '', '絵'.repeat(40)],
    ]
    for (const line of toTable(head, rows, { width: 30 }).split('\n')) {
      expect(textWidth(line)).toBeLessThanOrEqual(30)
    }
  })

  it('is not broken by what stands in it', () => {
    expect(toTable(head, [['a\nb', '', '\u001b[31mred']])).toBe('NAME  DESCRIPTION\na b   [31mred')
  })
})

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['👩‍👩‍👧', 2],
    ['é', 1],
    ['e\u0301', 1],
  ])('%s: %d', (text, width) => {
    expect(textWidth(text)).toBe(width)
  })

  it('bounds what is cut', () => {
    expect(truncate('日本語', 4)).toBe('日…')
    expect(truncate('abc', 3)).toBe('abc')
  })
})
