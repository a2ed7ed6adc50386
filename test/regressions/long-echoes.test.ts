/** What a client sends is named in refusals, and never sent back by the megabyte. */

import { expect, it } from 'vitest'
import { addOneOfEach, routers } from '../support/routers.js'
import { connect, modern } from '../wire/client.js'

const { make } = routers()
const long = 'x'.repeat(1_000_000)
const argument = { name: 'a', value: '' }
const ref = { type: 'ref/prompt', name: 'p' }

const questions: [what: string, method: string, params: object][] = [
  ['a method', long, {}],
  ['a level', 'logging/setLevel', { level: long }],
  ['a cursor', 'tools/list', { cursor: long }],
  ['the key of an argument', 'tools/call', { name: 't', arguments: { [long]: 1 } }],
  ['the key of a prompt’s argument', 'prompts/get', { name: 'p', arguments: { [long]: 1 } }],
  [
    'the key of a prompt’s unknown argument',
    'prompts/get',
    { name: 'p', arguments: { a: '1', [long]: '1' } },
  ],
  ['the type of a ref', 'completion/complete', { ref: { type: long }, argument }],
  ['more than a ref has', 'completion/complete', { ref: { ...ref, name: 'none', more: long }, argument }],
  [
    'the name of an argument to complete',
    'completion/complete',
    { ref, argument: { ...argument, name: long } },
  ],
  ['a value to complete', 'completion/complete', { ref, argument: { ...argument, value: long } }],
]

it.each(questions)('answers briefly to %s of 1 MB', async (_, method, params) => {
  for (const version of ['2025-11-25', modern]) {
    const answer = await connect(addOneOfEach(make()), version).request(method, params as never)
    expect(JSON.stringify(answer).length).toBeLessThan(1_000)
  }
})

it('answers briefly to versions of 1 MB', async () => {
  const router = addOneOfEach(make())
  const meta = { 'io.modelcontextprotocol/protocolVersion': long }
  expect(JSON.stringify(await connect(router).request('tools/list', {}, meta)).length).toBeLessThan(1_000)
  const params = { protocolVersion: long, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const answer = await connect(router, '2025-11-25').request('initialize', params)
  expect(JSON.stringify(answer).length).toBeLessThan(1_000)
})
