/** docs/limits.md says what the pages of the options say. */

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const textOf = (page: string): string =>
  readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
const options = ['router', 'mounting', 'routes', 'definitions', 'websocket']
  .map(textOf)
  .join('\n')
  .split('\n')

it('has the defaults of the options', () => {
  const rows = [...textOf('limits').matchAll(/^\| (.*) \| (.*) \| ((?:`\w+`(?:, )?)+).* \|$/gm)]
  expect(rows.length).toBeGreaterThan(9)
  const wrong = rows.flatMap(([row, , told = '', names = '']) => {
    const defaults = told.split(/, (?:and )/)
    return [...names.matchAll(/`(\w+)`/g)].flatMap(([, name = ''], index) => {
      const value = defaults[index]?.match(/[\d,]*\d(?: (?:[KMG]iB|minutes|days))?/)?.[0] ?? '?'
      return options.some((line) => line.startsWith(`| \`${name}\``) && line.includes(value)) ? [] : [row]
    })
  })
  expect(wrong).toEqual([])
})
