/** The site that is built of docs/: nobody gets lost in it. */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reference, sections } from '../../docs/.vitepress/pages.js'
import { pages, plainPages } from './programs.js'

const docs = new URL('../../docs/', import.meta.url)
const written = readdirSync(docs)
  .filter((file) => file.endsWith('.md') && file !== 'index.md')
  .map((file) => file.replace(/\.md$/, ''))

describe('the site', () => {
  it('has each page once in its navigation', () => {
    expect(sections.flatMap((section) => section.pages).sort()).toEqual(written.sort())
  })

  it('has pages that are all compiled, and whose links are followed', () => {
    const tested = pages.map(({ path }) => path)
    expect([...written, 'index'].filter((page) => !tested.includes(`docs/${page}.md`))).toEqual([])
  })

  it('has no code on pages that are not compiled', () => {
    const coded = plainPages.filter(({ path }) =>
      readFileSync(new URL(`../${path}`, docs), 'utf8').includes('```ts'),
    )
    expect(coded).toEqual([])
  })

  it('shows the way to each page from another one', () => {
    const texts = new Map(
      [...written, 'index'].map((page) => [page, readFileSync(new URL(`${page}.md`, docs), 'utf8')]),
    )
    const orphans = written.filter((page) =>
      [...texts].every(([other, text]) => other === page || !new RegExp(`\\]\\(${page}\\.md[)#]`).test(text)),
    )
    expect(orphans).toEqual([])
  })

  it('has a reference of every entry of the package, with all its names', async () => {
    const script = new URL('../../scripts/reference.mjs', import.meta.url).href
    const { referencePages } = (await import(script)) as { referencePages(): Map<string, string> }
    const made = referencePages()
    expect([...made.keys()]).toEqual(reference.map(({ page }) => `${page}.md`))
    expect(reference.length).toBeGreaterThan(10)
    const wordless = [...made].flatMap(([page, text]) =>
      functionsWithoutWords(text).map((name) => `${page}: ${name}`),
    )
    expect(wordless).toEqual([])
    expect(made.get('reference/mcp-router.md')).toMatch(/^## McpRouter$/m)
    expect(made.get('reference/testing.md')).toMatch(/^## testClient$/m)
  }, 60_000)
})

/** Functions and classes that nobody can use by their signature alone. */
function functionsWithoutWords(text: string): string[] {
  return text
    .split(/^## /m)
    .slice(1)
    .filter((part) => /^```ts\n(?:async )?(?:function|class)/m.test(part))
    .filter((part) => /^\w+\s*```ts[^`]*```\s*(?:- |$)/.test(part))
    .map((part) => part.split('\n')[0] ?? '')
}
