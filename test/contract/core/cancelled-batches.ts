/** Batches of 2025-03-26 whose requests are cancelled: what was cancelled is not answered. */

import { expect, it, vi } from 'vitest'
import { post } from '../client.js'
import { legacy, rpc } from '../clients.js'
import { type Host, serve } from '../host.js'

const hold = (id: unknown) => rpc('tools/call', { name: 'hold', arguments: {} }, id)
const echo = (id: unknown) => rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } }, id)

async function batch(host: Host, messages: object[]) {
  const { url, router } = await serve(host)
  router.tool('hold', {
    description: 'Ends when its own call does',
    async handler(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  const client = await legacy(url, { version: '2025-03-26' })
  const answer = post(url, messages, { 'Mcp-Session-Id': client.sessionId })
  await vi.waitFor(() => expect(router.stats().running).toBe(2), { interval: 2 })
  for (const requestId of ['a', 'b']) await client.notify('notifications/cancelled', { requestId })
  return answer
}

export function cancelledBatches(host: Host): void {
  it('ends a batch with 202 and no body when all of its requests were cancelled', async () => {
    const answer = await batch(host, [hold('a'), hold('b')])
    expect(answer).toMatchObject({ status: 202, text: '' })
    expect(answer.headers['content-type']).toBeUndefined()
  })

  it('answers what is left of a batch', async () => {
    const { status, json } = await batch(host, [hold('a'), echo('kept'), hold('b')])
    expect({ status, ids: json.map(({ id }: { id: unknown }) => id) }).toEqual({ status: 200, ids: ['kept'] })
  })
}
