/** The pages for people who know another library: no row is missing, and each names a test that is there. */

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const docs = new URL('../../docs/', import.meta.url)
const textOf = (page: string): string => readFileSync(new URL(`${page}.md`, docs), 'utf8')

/** How many things each library documents. */
const documented = [
  ['coming-from-alepha', 60],
  ['coming-from-aidex', 34],
  ['coming-from-clovejs', 45],
  ['coming-from-bare', 47],
] as const

describe.each(documented)('%s', (page, count) => {
  const rows = [...textOf(page).matchAll(/^\| (\d+) \| (.*) \| (.*) \| (.*) \|$/gm)].map(
    ([, number, there = '', here = '', held = '']) => ({ number: Number(number), there, here, held }),
  )

  it('answers every row, in order', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    expect(rows.filter(({ there, here }) => there.length < 3 || here.length < 3)).toEqual([])
    expect(textOf('coming-from')).toContain(`| ${count} | [${page}.md](${page}.md) |`)
  })

  it('gives a reason with each no', () => {
    const refused = rows.filter(({ here }) => /\*\*no\*\*/i.test(here))
    expect(refused.filter(({ here }) => here.length < 30)).toEqual([])
  })

  it('names tests that are there', () => {
    const wrong = rows.filter(({ held, here }) => {
      const [, name = '', file = ''] = /^\[(.*)\]\(\.\.\/(test\/.*)\)$/.exec(held) ?? []
      if (file === '') return !here.includes('](../LICENSE)')
      const target = new URL(`../${file}`, docs)
      return !existsSync(target) || !isNamed(readFileSync(target, 'utf8'), name)
    })
    expect(wrong).toEqual([])
  })
})

/** As the first argument of a test or a group of them. */
function isNamed(source: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote},`))
}
