/** Names and addresses of many megabytes: refused before anything looks them up, and never repeated. */

import { expect, it } from 'vitest'
import { stopwatch } from '../../support/time.js'
import { post } from '../client.js'
import { rpc } from '../clients.js'
import { expectError } from '../expect.js'
import { type Host, serve } from '../host.js'

const long = `task://${'a'.repeat(4_000_000)}`
const argument = { name: 'a', value: '' }
const questions: [what: string, method: string, params: object][] = [
  ['a URI', 'resources/read', { uri: long }],
  ['a tool name', 'tools/call', { name: long, arguments: {} }],
  ['a prompt name', 'prompts/get', { name: long }],
  ['a template to complete', 'completion/complete', { ref: { type: 'ref/resource', uri: long }, argument }],
  ['a prompt to complete', 'completion/complete', { ref: { type: 'ref/prompt', name: long }, argument }],
]

export function longNames(host: Host): void {
  it.each(questions)('refuses %s of 4 MB at once, in a short answer', async (_, method, params) => {
    const { url, router } = await serve(host)
    for (let version = 0; version < 20; version++) {
      const handler = () => 'x'
      router.resource(`task://{a}/v${version}/{b}`, { complete: { a: () => [] }, handler })
    }
    const body = JSON.stringify(rpc(method, params))
    const worked = stopwatch()
    const answer = await post(url, body)
    expect(worked()).toBeLessThan(1_000)
    expectError(answer, 200, -32602, 1)
    expect(answer.text.length).toBeLessThan(1_000)
  })
}
