/** Capabilities are what a client says of itself: whatever it says, it is judged and never breaks the call. */

import express from 'express'
import { expect, it } from 'vitest'
import { legacy, modern } from '../contract/clients.js'
import { serve } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'
import { routers } from '../support/routers.js'
import { connect, legacyVersions } from '../wire/client.js'

const { log, make } = routers()
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
/** None of them is the object that a capability is. */
const malformed = [true, null, 0, 'form']

function needy() {
  const told: unknown[] = []
  const router = make({ onError: (error) => told.push(error) })
  router.tool('t', { description: 'd', needs: ['elicitation'], handler: () => 'ran' })
  return { router, told }
}

it.each(malformed)('refuses a client of 2026-07-28 whose elicitation is %j', async (elicitation) => {
  const { router, told } = needy()
  const meta = { [capabilitiesKey]: { elicitation } }
  const { code } = await connect(router).error('tools/call', { name: 't' }, meta)
  expect([-32021, -32602]).toContain(code)
  expect({ told, logged: log.at('error') }).toEqual({ told: [], logged: [] })
})

it.each(malformed)('refuses a client of before that whose elicitation is %j', async (elicitation) => {
  for (const version of legacyVersions) {
    const { router, told } = needy()
    const client = { name: 'c', version: '1', capabilities: { elicitation: elicitation as never } }
    const answer = await connect(router, version, { client }).request('tools/call', { name: 't' })
    if ('error' in answer) expect(answer.error.code).toBe(-32602)
    else expect(answer.result).toMatchObject({ isError: true })
    expect(told).toEqual([])
  }
})

it.each([{}, { form: {} }, { form: {}, url: {} }])(
  'serves a client whose elicitation is %j',
  async (elicitation) => {
    const { router } = needy()
    const meta = { [capabilitiesKey]: { elicitation } }
    expect(await connect(router).result('tools/call', { name: 't' }, meta)).toMatchObject({
      content: [{ text: 'ran' }],
    })
    const client = { name: 'c', version: '1', capabilities: { elicitation } }
    const answer = await connect(router, '2025-11-25', { client }).result('tools/call', { name: 't' })
    expect(answer).toMatchObject({ content: [{ text: 'ran' }] })
  },
)

it('refuses a client whose elicitation is for addresses only', async () => {
  const { router } = needy()
  const meta = { [capabilitiesKey]: { elicitation: { url: {} } } }
  expect((await connect(router).error('tools/call', { name: 't' }, meta)).code).toBe(-32021)
})

it.each([true, null, 'form'])('answers over HTTP where elicitation is %j', async (elicitation) => {
  const { url, router } = await serve(expressHost(express))
  router.tool('needy', { description: 'd', needs: ['elicitation'], handler: () => 'ran' })
  const meta = { [capabilitiesKey]: { elicitation } }
  const { status, json } = await modern(url, { meta }).call('needy', {})
  expect(status).toBe(400)
  expect([-32021, -32602]).toContain(json.error.code)
  const session = await legacy(url, { capabilities: { elicitation } })
  expect((await session.call('needy', {})).json.error?.code).not.toBe(-32603)
})
