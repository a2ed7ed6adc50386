/** What README.md and docs/cluster.md say of machines behind a plain load balancer: what one `secret` is enough for. */

import { readFile } from 'node:fs/promises'
import express from 'express'
import { McpRouter, memoryStore } from 'mcp-router'
import { mcp } from 'mcp-router/express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { initialize, type Json, legacy, listen, modern, post } from './client.js'
import { eventsOf, nextMessage } from './events.js'

type Store = ReturnType<typeof memoryStore>

/** The endpoints of two machines. `store`: what they share besides the secret; `undefined`: each has its own. */
async function twoMachines(store?: Store): Promise<readonly [string, string]> {
  const start = async (): Promise<string> => {
    const router = new McpRouter<object>({
      name: 'tasks',
      version: '1.0.0',
      secret: 'one secret for both of the machines',
      logger: false,
      ...(store !== undefined && { store }),
    })
    router.tool('add', { description: 'Adds.', handler: () => 'added' })
    router.tool('ask', {
      description: 'Asks.',
      handler: async (_, ctx) => {
        const { content } = await ctx.elicit({ message: 'Sure?', schema: z.object({ yes: z.boolean() }) })
        return content?.yes === true ? 'yes' : 'no'
      },
    })
    return `${await listen(express().use(mcp(router)))}/mcp`
  }
  return [await start(), await start()]
}

const accepted = { action: 'accept', content: { yes: true } }

/** A client of 2025-11-25 that calls this machine, and may post its answers to any. */
async function older(url: string) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'older', version: '1' },
  }
  const session = (await legacy(url, 'initialize', params)).headers.get('mcp-session-id') ?? ''
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-11-25' }
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'ask', arguments: {} } }
  let events: ReturnType<typeof eventsOf>
  return {
    /** The id of the question. */
    async ask(): Promise<unknown> {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(call),
      })
      events = eventsOf(response)
      return (await nextMessage(events)).id
    },
    answer: (to: string, id: unknown, result: object) =>
      post(to, { jsonrpc: '2.0', id, result }, { headers }),
    result: async (): Promise<unknown> => (await nextMessage(events)).result.content[0].text,
  }
}

describe('machines that share a secret alone', () => {
  it('serve plain calls of every client, whichever gets which request', async () => {
    const [one, other] = await twoMachines()
    const session = await initialize(one)
    for (const url of [one, other]) {
      expect((await modern(url, 'tools/call', { name: 'add' })).messages[0].result.content[0].text).toBe(
        'added',
      )
      const headers = { 'Mcp-Session-Id': session }
      const { messages } = await legacy(url, 'tools/call', { name: 'add' }, { headers })
      expect(messages[0].result.content[0].text).toBe('added')
    }
  })

  it('ask 2026-07-28 clients, whichever gets the answer', async () => {
    const [one, other] = await twoMachines()
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const call = async (url: string, more: object = {}): Promise<Json> =>
      (await modern(url, 'tools/call', { name: 'ask', arguments: {}, ...more }, { meta })).messages.at(-1)
        .result
    const { inputRequests, requestState } = await call(one)
    const [key = ''] = Object.keys(inputRequests)
    const answered = await call(other, { requestState, inputResponses: { [key]: accepted } })
    expect(answered.content).toEqual([{ type: 'text', text: 'yes' }])
  })

  it('do not get the answers of older clients from each other', async () => {
    const [one, other] = await twoMachines()
    const { ask, answer, result } = await older(one)
    const id = await ask()
    await answer(other, id, { action: 'decline' })
    // The question is still open where it was asked.
    await answer(one, id, accepted)
    expect(await result()).toBe('yes')
  })
})

it('machines that share a store as well get the answers of older clients from each other', async () => {
  const [one, other] = await twoMachines(memoryStore())
  const { ask, answer, result } = await older(one)
  await answer(other, await ask(), accepted)
  expect(await result()).toBe('yes')
})

it('README.md and docs/cluster.md say so', async () => {
  const [readme, cluster] = await Promise.all(
    ['README.md', 'docs/cluster.md'].map(async (path) =>
      (await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).replace(/\s+/g, ' '),
    ),
  )
  expect(readme).toContain('Plain calls and 2026-07-28 clients work on any number of machines')
  expect(readme).toContain('What older clients need between requests, such as an answer to a question')
  expect(cluster).toContain('Without a shared store, `ctx.elicit`, `ctx.sample` and `ctx.roots` fail there')
})
