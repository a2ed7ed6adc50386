/** What is no proper request is refused with a status, a JSON-RPC body and nothing else. */

import { gzipSync } from 'node:zlib'
import { McpError, result, text } from 'mcp-router'
import { expect, it } from 'vitest'
import { post, send } from '../client.js'
import { envelope, modern, rpc, stateless } from '../clients.js'
import { expectError, expectResult, expectText } from '../expect.js'
import { type Host, serve } from '../host.js'

/** As JSON escapes it; an escaped backslash before `ud83d` is a text. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i

const call = rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } })

export function badInput(host: Host): void {
  it.each(['{"jsonrpc":', '', 'hello', '{"a":1}}', '\u0000'])(
    'answers 400 to %j, which is no JSON',
    async (body) => {
      const { url } = await serve(host)
      expectError(await post(url, body), 400, -32700)
    },
  )

  it('answers 400 to bytes that are no UTF-8 text of JSON', async () => {
    const { url } = await serve(host)
    expectError(await post(url, Buffer.from([0xff, 0xfe, 0x7b, 0x7d])), 400, -32700)
  })

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
  ])('answers 415 to the content type %s', async (type) => {
    const { url } = await serve(host)
    expectError(await post(url, call, { 'Content-Type': type }), 415, -32600)
  })

  it.each(['gzip', 'deflate', 'br', 'nonsense', 'gzip, gzip'])(
    'answers 415 to a body that is packed as %s, which nobody unpacks',
    async (encoding) => {
      const { url } = await serve(host)
      const packed = gzipSync(JSON.stringify(call))
      expectError(await post(url, packed, { 'Content-Encoding': encoding }), 415, -32600)
      expect(expectText(await post(url, call, { 'Content-Encoding': 'identity' }))).toBe('hi')
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'reads the content type %s',
    async (type) => {
      const { url } = await serve(host)
      expect(expectText(await post(url, call, { 'Content-Type': type }))).toBe('hi')
    },
  )

  it.each(['null', '"x"', '5', 'true', '{}', '[]'])(
    'answers 400 to %s, which is no message',
    async (body) => {
      const { url } = await serve(host)
      expectError(await post(url, body), 400, -32600)
    },
  )

  it.each([
    ['no jsonrpc member', { id: 1, method: 'ping' }],
    ['another JSON-RPC version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a number as method', { jsonrpc: '2.0', id: 1, method: 5 }],
    ['neither method nor result', { jsonrpc: '2.0', id: 1 }],
    ['positional params', rpc('ping', [1])],
    ['null params', rpc('ping', null)],
    ['text as params', rpc('ping', 'x')],
  ])('answers 400 to a message with %s, and echoes its id', async (_, body) => {
    const { url } = await serve(host)
    expectError(await post(url, body), 400, -32600, 1)
  })

  it.each([0, '', -1, 'ä', 2 ** 53 - 1])('takes the id %j and gives it back', async (id) => {
    const { url } = await serve(host)
    expectResult(await stateless(url).request('ping', {}, { id }), id)
    expectResult(await modern(url).request('tools/list', {}, { id }), id)
  })

  it.each(['9007199254740992', '-1e300'])('answers 400 to the id %s and says what fits', async (id) => {
    const { url } = await serve(host)
    const answer = await post(url, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    expectError(answer, 400, -32600)
    expect(answer.json.error.message).toContain('9007199254740991 in size')
    expect(answer.json.error.message).toContain('as a string')
  })

  it('reads JSON after a byte order mark', async () => {
    const { url } = await serve(host)
    expect(expectText(await post(url, `\ufeff${JSON.stringify(call)}`))).toBe('hi')
  })

  it.each([{}, { 'MCP-Protocol-Version': '2026-07-28' }])(
    'says of a batch of 2026-07-28 messages that there are none: %j',
    async (headers) => {
      const { url } = await serve(host)
      const batch = [rpc('tools/list', { _meta: envelope })]
      const answer = await post(url, batch, headers)
      expectError(answer, 400, -32600)
      expect(answer.json.error.message).toContain('2026-07-28 has no batches')
    },
  )

  it('replaces lone surrogates in everything it sends', async () => {
    const { url, router } = await serve(host)
    const cut = { text: '\ud83d', pair: '😀', literal: '\\ud83d', 'key\udc00': 1 }
    router.tool('cut', {
      description: 'cut \ud83d',
      async handler(_, ctx) {
        await ctx.progress(1, 2, 'half \ud83d')
        return result({ content: [text('\udc00x'), text(JSON.stringify(cut))], structuredContent: cut })
      },
    })
    router.tool('plain', { description: 'd', handler: () => cut })
    router.tool('refuses', {
      description: 'd',
      handler: () => {
        throw new McpError(-31000, 'no \ud83d', cut)
      },
    })
    const whole = { text: '\ufffd', pair: '😀', literal: '\\ud83d', 'key\ufffd': 1 }
    for (const client of [stateless(url), modern(url)]) {
      const sent = await client.call(
        'cut',
        {},
        { headers: { Accept: 'text/event-stream, application/json' } },
      )
      const all = [sent, await client.call('refuses', {}), await client.request('tools/list')]
      for (const answer of all) {
        expect(answer.text).not.toMatch(loneSurrogate)
        expect(answer.text).toContain('fffd')
      }
      expect(JSON.parse(expectText(await client.call('plain', {})))).toEqual(whole)
    }
  })

  it.each([null, 1.5, true, {}, []])('answers 400 to the id %j', async (id) => {
    const { url } = await serve(host)
    expectError(await stateless(url).request('ping', {}, { id }), 400, -32600)
    expectError(await modern(url).request('tools/list', {}, { id }), 400, -32600)
  })

  it.each(['nope', 'constructor', '__proto__', 'toString', '', 'server/discover'])(
    'answers 200 and -32601 to legacy clients that call the method %j',
    async (method) => {
      const { url } = await serve(host)
      expectError(await stateless(url).request(method, {}), 200, -32601, 1)
    },
  )

  it.each([
    'nope',
    'constructor',
    '__proto__',
    'toString',
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
  ])('answers 404 and -32601 to 2026-07-28 clients that call the method %j', async (method) => {
    const { url } = await serve(host)
    expectError(await modern(url).request(method, {}), 404, -32601, 1)
  })

  it.each(['nope', 'constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
    'knows no tool, prompt or resource %j',
    async (name) => {
      const { url } = await serve(host)
      for (const client of [stateless(url), modern(url)]) {
        expectError(await client.call(name, {}), 200, -32602, 1)
        expectError(await client.request('prompts/get', { name }), 200, -32602, 1)
      }
      expectError(await stateless(url).request('resources/read', { uri: name }), 200, -32002, 1)
      expectError(await modern(url).request('resources/read', { uri: name }), 200, -32602, 1)
    },
  )

  it.each([5, null, true, {}, []])('refuses %j as the name of a tool', async (name) => {
    const { url } = await serve(host)
    expectError(await stateless(url).call(name, {}), 200, -32602, 1)
    const answer = await modern(url).call(name, {}, { headers: { 'Mcp-Name': String(name) } })
    expectError(answer, 400, -32602, 1)
    expect(answer.json.error.message).toContain('expected name to be a string')
  })

  it.each([[[]], [[1]], [null], ['text'], [5]])('refuses %j as arguments', async (args) => {
    const { url } = await serve(host)
    expectError(await stateless(url).call('echo', args), 200, -32602, 1)
    expectError(await modern(url).call('echo', args), 200, -32602, 1)
  })

  it('keeps `__proto__` among the arguments from changing anything', async () => {
    const { url } = await serve(host)
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}'
    expect((await post(url, body)).status).toBe(200)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'takes the progress token and cursor %j for what they are',
    async (odd) => {
      const { url } = await serve(host)
      expect(
        expectText(
          await stateless(url).request('tools/call', {
            name: 'echo',
            arguments: { text: 'hi' },
            _meta: { progressToken: odd },
          }),
        ),
      ).toBe('hi')
      expectError(await stateless(url).request('tools/list', { cursor: odd }), 200, -32602, 1)
    },
  )

  it('never tells a client what went wrong inside, outside of development', async () => {
    const { url } = await serve(host, { server: { exposeErrors: false } })
    for (const client of [stateless(url), modern(url)]) {
      const answer = await client.call('throws', {})
      expect(answer.json.result.isError).toBe(true)
      expect(answer.text).not.toMatch(/hunter2|\n\s+at /)
    }
  })

  it.each([stateless, modern])('tells the fields that are wrong in arguments', async (client) => {
    const { url } = await serve(host)
    const answer = await client(url).call('echo', { text: 5 })
    expect(expectResult(answer).isError).toBe(true)
    expect(answer.text).toContain('text')
  })

  it('leaves the app able to answer after all of it', async () => {
    const { url, origin } = await serve(host)
    await Promise.all(['{', 'null', '[]', '5'].map((body) => post(url, body)))
    expect((await send(`${origin}/own`, { method: 'GET' })).json).toEqual({ own: true })
    expect(expectText(await post(url, call))).toBe('hi')
  })
}
