/** SECURITY.md says what is so: every demand has its row, and every test that it names is there. */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const rows = read('SECURITY.md')
  .split('\n')
  .filter((line) => /^\| (?:\d|[A-Z]+\d)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

/** From a test's title in its source, without escapes. */
const titlesIn = (path: string): string => read(path).replaceAll("\\'", "'")

describe('SECURITY.md', () => {
  it.each([
    ['the checklist of the protocol', Array.from({ length: 49 }, (_, at) => `${at + 1}`)],
    ['the OWASP API Security Top 10', Array.from({ length: 10 }, (_, at) => `API${at + 1}`)],
    ['the OWASP MCP Top 10', Array.from({ length: 10 }, (_, at) => `MCP${String(at + 1).padStart(2, '0')}`)],
  ])('has one row for each item of %s', (_, items) => {
    const prefix = /^[A-Z]*/.exec(items[0] as string)?.[0]
    const own = rows.map(([id = '']) => id).filter((id) => /^[A-Z]*/.exec(id)?.[0] === prefix)
    expect(own).toEqual(items)
  })

  it.each(rows.map((cells) => [cells[0], cells] as const))(
    '%s says what is done, and which test holds it',
    (_, cells) => {
      const [, , done = '', tests = ''] = cells
      expect(cells).toHaveLength(4)
      const named = [...tests.matchAll(/\[([^\]]+)\]\((test\/[^)]+)\) "(.+?)"(?=;|$)/g)]
      // Only what the app alone can do has no test.
      if (named.length === 0) expect(done).toMatch(/^yours/)
      expect(named.map(([text]) => text).join('; ')).toBe(named.length === 0 ? '' : tests)
      for (const [, short, path = '', title = ''] of named) {
        expect(path).toBe(`test/${short}`)
        expect(existsSync(root + path), path).toBe(true)
        expect(titlesIn(path), `${path}: ${title}`).toContain(title)
      }
    },
  )
})

describe('the supply chain', () => {
  it('installs one small package with it, and has workflows that audit what is built in and publish with provenance', () => {
    const { dependencies, scripts } = JSON.parse(read('package.json'))
    expect(Object.keys(dependencies)).toEqual(['fastify-plugin'])
    expect(scripts.audit).toBeDefined()
    expect(read('.ci/run')).toContain('npm run --silent audit')
    expect(read('.github/workflows/ci.yml')).toContain('.ci/run')
    const release = read('.github/workflows/release.yml')
    expect(release).toContain('npm publish --provenance')
    expect(release).toContain('id-token: write')
    // No long-lived token that could be stolen.
    expect(release).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/)
  })
})
