/** What docs/testing.md promises. Its own tests are registered here. */

import { readFile } from 'node:fs/promises'
import { McpRouter } from 'mcp-router'
import { testClient } from 'mcp-router/testing'
import { describe, expect, it } from 'vitest'
import { load, testingPage } from './programs.js'

describe('the page', async () => {
  await load(testingPage)
})

describe('every name has its place in the page', async () => {
  const page = await readFile(new URL('../../docs/testing.md', import.meta.url), 'utf8')
  const router = new McpRouter<object>()

  it('the options', () => {
    let message = ''
    try {
      testClient(router, { zzzzzzzzzz: true } as never)
    } catch (error) {
      message = (error as Error).message
    }
    const known = /known are (.*)$/.exec(message)?.[1]?.match(/\w+/g) ?? []
    expect(known.length).toBeGreaterThan(10)
    expect(known.filter((name) => !page.includes(`\`${name}`))).toEqual([])
  })

  it('the members of a client', () => {
    const client = testClient(router)
    const prototype = Object.getOwnPropertyNames(Object.getPrototypeOf(client))
    const names = [...Object.keys(client), ...prototype].filter((name) => name !== 'constructor')
    expect(names).toContain('callTool')
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([])
  })
})
