/** Checks that all three ways give the same lists and results, for every caller and every revision. */

import { type McpRouter, PROTOCOL_VERSIONS } from 'mcp-router'
import { testClient } from 'mcp-router/testing'
import { describe, expect, it } from 'vitest'
import { Shelf, type User } from './books.js'
import { byClass } from './classes.js'
import { byFile } from './files.js'
import { byRecord } from './records.js'

const failed = ({ message }: Error) => ({ message })

/** Returns everything that a caller sees of a router with a new shelf. */
async function seen(routerOf: (shelf: Shelf) => McpRouter, protocolVersion: string, user?: User) {
  const shelf = new Shelf('Emma', 'Middlemarch')
  const client = testClient(routerOf(shelf), { user, protocolVersion, context: { shelf } })
  return {
    lists: [await client.listTools(), await client.listResourceTemplates(), await client.listPrompts()],
    answers: [
      await client.callTool('bookRead', { id: 2 }).catch(failed),
      await client.callTool('bookList', { word: 'MARCH' }),
      await client.callTool('bookRead', { id: 9 }).catch(failed),
      await client.callTool('bookList', { words: 'x' }),
      await client.readResource('books://2'),
      await client.readResource('books://9').catch(failed),
      await client.getPrompt('planReading', { mood: 'light' }),
    ],
    shelf: shelf.list(),
  }
}

describe.each(PROTOCOL_VERSIONS)('%s', (version) => {
  it.each([
    ['ana', { id: 'ana' }],
    ['nobody', undefined],
  ])('to %s', async (_, user) => {
    const records = await seen(() => byRecord, version, user)
    expect(await seen(byClass, version, user)).toEqual(records)
    expect(await seen(() => byFile, version, user)).toEqual(records)
    expect(records.shelf[1]?.readBy).toEqual(user === undefined ? [] : ['ana'])
    expect(records.lists.map((list) => list.map(({ name }) => name))).toEqual([
      ['bookList', 'bookRead'],
      ['booksId'],
      ['planReading'],
    ])
  })
})
