/** `Accept` parsed properly: answers are JSON unless only a stream can be read, 406 when neither can. */

import { expect, it } from 'vitest'
import { open, post } from '../client.js'
import { modern, rpc, stateless } from '../clients.js'
import { expectError, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

const call = rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } })

export function accept(host: Host): void {
  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'APPLICATION/JSON',
    'text/html, application/json;q=0.1',
    'application/json;q=0.5, text/event-stream;q=1',
    'application/json; charset=utf-8, */*;q=0.1',
    'text/event-stream,application/json',
  ])('answers JSON to Accept: %s', async (header) => {
    const { url } = await serve(host)
    for (const client of [stateless(url), modern(url)]) {
      const answer = await client.call('echo', { text: 'hi' }, { headers: { Accept: header } })
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(expectText(answer)).toBe('hi')
    }
  })

  it.each([
    'text/event-stream',
    'text/*',
    'text/event-stream, application/json;q=0',
    'text/event-stream;q=0.9, text/html',
  ])('answers a stream of one message to Accept: %s', async (header) => {
    const { url } = await serve(host)
    const stream = await open(url, { body: call, headers: { Accept: header } })
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(await stream.rest()).toMatchObject([{ id: 1, result: { content: [{ text: 'hi' }] } }])
  })

  it.each(['text/html', 'image/png, text/plain', 'application/json;q=0', '*/*;q=0', 'nonsense'])(
    'answers 406 to Accept: %s',
    async (header) => {
      const { url } = await serve(host)
      expectError(await post(url, call, { Accept: header }), 406, -32600)
    },
  )

  it('does not ask a notification what it accepts', async () => {
    const { url } = await serve(host)
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(url, body, { Accept: 'application/json' })).status).toBe(202)
    expect((await post(url, body, { Accept: undefined })).status).toBe(202)
  })

  it('answers an error to a client that reads streams alone with its own status', async () => {
    const { url } = await serve(host)
    const answer = await modern(url).request('nope', {}, { headers: { Accept: 'text/event-stream' } })
    expect(answer.status).toBe(404)
    expect(answer.json.error.code).toBe(-32601)
  })
}
