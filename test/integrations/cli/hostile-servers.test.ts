/** The command and servers that want to fill its memory, hold it for ever, or steer its terminal. */

import { describe, expect, it, test } from 'vitest'
import { Client } from '../../../integrations/cli/client/client.js'
import { HttpWire } from '../../../integrations/cli/client/http-wire.js'
import { Deadlines } from '../../../integrations/cli/client/patience.js'
import { toTable } from '../../../integrations/cli/terminal/table.js'
import { sanitize, sanitizedJson } from '../../../integrations/cli/terminal/terminal.js'
import { run } from './binary.js'
import { type Answer, answer, json, listening, modern, old, serving, stream } from './servers.js'

const letters = new TextEncoder().encode('x'.repeat(1 << 20))

/** A body of this beginning, and of more as long as somebody reads. `left`: whether the reader has closed it. */
function endless(beginning: string, init: ResponseInit & { more?: Uint8Array } = {}) {
  const state = { left: false, pieces: 0 }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
    pull(controller) {
      state.pieces += 1
      controller.enqueue(init.more ?? letters)
    },
    cancel() {
      state.left = true
    },
  })
  return { state, response: new Response(body, init) }
}

/** A client of a server that answers everything but its discovery with this. */
function clientOf(respond: () => Response): Promise<Client> {
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
  const send = async (_: unknown, { body }: { body?: unknown } = {}): Promise<Response> => {
    const { id, method } = JSON.parse(String(body))
    return method === 'server/discover'
      ? Response.json({ jsonrpc: '2.0', id, result: discovered })
      : respond()
  }
  return Client.connect(new HttpWire('http://a.example/mcp', {}, send as typeof fetch), {
    clientInfo: { name: 'test', version: '1' },
    capabilities: {},
    onNotification: () => {},
    onRequest: async () => ({}),
    logLevel: 'info',
  })
}

describe('an endless body', () => {
  const events = { headers: { 'content-type': 'text/event-stream' } }
  it.each([
    ['of JSON', '{"a":"', {}],
    ['in one line of a stream', 'data: ', events],
    [
      'in the lines of one event',
      'data:\n',
      { ...events, more: new TextEncoder().encode('data:\n'.repeat(10_000)) },
    ],
  ])('%s is left, and the connection closed', async (_, beginning, init) => {
    const { state, response } = endless(beginning, init)
    const client = await clientOf(() => response)
    await expect(client.request('tools/call', { name: 'x' })).rejects.toThrow(
      'http://a.example/mcp sent more than 64 MiB in one response',
    )
    expect(state.left).toBe(true)
  })

  it('of an error is read as far as it is shown', async () => {
    const { state, response } = endless('no\n', { status: 500, statusText: 'Internal Server Error' })
    const client = await clientOf(() => response)
    await expect(client.request('tools/call', { name: 'x' })).rejects.toThrow(
      'http://a.example/mcp responded with 500 Internal Server Error: no',
    )
    expect(state.left).toBe(true)
    expect(state.pieces).toBeLessThan(5)
  })
})

describe('a list', () => {
  it('that always has one more page is left', async () => {
    let pages = 0
    const client = await clientOf(() => {
      pages += 1
      return Response.json({ jsonrpc: '2.0', id: pages, result: { tools: [], nextCursor: `${pages}` } })
    })
    await expect(client.list('tools/list', 'tools')).rejects.toThrow(
      'tools/list: the server sent 1000 pages and still has more',
    )
    expect(pages).toBe(1_000)
  })

  it('whose pages are large is left', async () => {
    let pages = 0
    const tools = [{ name: 'x'.repeat(8 << 20) }]
    const client = await clientOf(() => {
      pages += 1
      return Response.json({ jsonrpc: '2.0', id: pages, result: { tools, nextCursor: `${pages}` } })
    })
    await expect(client.list('tools/list', 'tools')).rejects.toThrow('sent 8 pages and still has more')
  })

  it.each([[{}], [{ tools: null }], [{ tools: { a: 1 } }]])(
    'that is none is no empty list: %j',
    async (result) => {
      const client = await clientOf(() => Response.json({ jsonrpc: '2.0', id: 1, result }))
      await expect(client.list('tools/list', 'tools')).rejects.toThrow(
        'tools/list: expected a list `tools`, got',
      )
    },
  )
})

describe('a silent server', () => {
  const silent: Answer = () => {}
  const keepsAlive: Answer = (_, res) => {
    const events = stream(res)
    const timer = setInterval(() => events.write(': still here\n\n'), 20)
    res.on('close', () => clearInterval(timer))
  }
  it.each<[string, Record<string, Answer>, string]>([
    ['never answers a call', { 'server/discover': modern, 'tools/call': silent }, 'tools/call'],
    ['never answers a call of older revisions', { ...old, 'tools/call': silent }, 'tools/call'],
    ['only keeps its stream alive', { 'server/discover': modern, 'tools/call': keepsAlive }, 'tools/call'],
    ['never shakes hands', { ...old, initialize: silent }, 'initialize'],
    ['never lists', { 'server/discover': modern, 'tools/list': silent }, 'tools/list'],
  ])('that %s is left', async (_, rows, method) => {
    const url = await serving({
      ...rows,
    })
    expect(await run('call', url, 'x', '--timeout', '0.3')).toEqual({
      code: 3,
      out: '',
      error: `${method}: the server did not respond within 0.3 seconds; set the limit with --timeout\n`,
    })
  })

  it('is waited for as long as it says something', async () => {
    const deadline = new Deadlines(300).start('tools/call')
    const asked = new Promise<void>((resolve) => setTimeout(resolve, 600))
    // A person who answers takes any time.
    await deadline.pausedFor(asked)
    expect(deadline.signal?.aborted).toBe(false)
    deadline.end()
  })

  it('has no limit with 0, and none of a wrong kind', async () => {
    expect(new Deadlines().start('tools/call').signal).toBeUndefined()
    const url = 'http://127.0.0.1:9/mcp'
    for (const seconds of ['-1', 'x', '1e9', '99999999']) {
      const { code, error } = await run('call', url, 'x', `--timeout=${seconds}`)
      expect({ code, error }).toEqual({
        code: 2,
        error: expect.stringContaining('--timeout: expected seconds'),
      })
    }
  })
})

describe('a result', () => {
  const calling = (result: unknown): Promise<string> =>
    serving({
      'server/discover': modern,
      'tools/call': (message, res) => json(res, { ...answer(message, {}), result }),
      'resources/read': (message, res) => json(res, { ...answer(message, {}), result }),
      'prompts/get': (message, res) => json(res, { ...answer(message, {}), result }),
    })

  it.each([[null], ['text'], [[]], [{}], [{ content: null }], [{ content: 'text' }]])(
    'that says nothing is no success: %j',
    async (result) => {
      const url = await calling(result)
      const { code, out, error } = await run('call', url, 'x')
      expect({ code, out }).toEqual({ code: 3, out: '' })
      expect(error).toMatch(/expected a list `content` in the result|responded with 200 OK/)
    },
  )

  it('of a resource or a prompt must say something as well', async () => {
    const url = await calling({})
    expect(await run('read', url, 'a://b')).toMatchObject({
      code: 3,
      error: expect.stringContaining('`contents`'),
    })
    expect(await run('prompt', url, 'x')).toMatchObject({
      code: 3,
      error: expect.stringContaining('`messages`'),
    })
  })

  it('of null in a stream ends the call', async () => {
    const url = await serving({
      'server/discover': modern,
      'tools/call': ({ id }, res) =>
        void stream(res).write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: null })}\n\n`),
    })
    const { code, error } = await run('call', url, 'x')
    expect({ code, error }).toEqual({
      code: 3,
      error: expect.stringContaining('responded with neither a result nor an error'),
    })
  })

  it('that nests too deep is no answer', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const url = await serving({
      'server/discover': modern,
      'tools/list': ({ id }, res) =>
        void res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a","inputSchema":${deep}}]}}`),
    })
    const { code, error } = await run('list', url, '--json')
    expect(code).toBe(3)
    expect(error).not.toMatch(/RangeError|\n\s+at /)
  })

  test('a request for input that is none is no reason for a stack', async () => {
    const url = await calling({ resultType: 'input_required', inputRequests: { a: null } })
    const { code, error } = await run('call', url, 'x')
    expect({ code, error }).toEqual({
      code: 3,
      error: "expected each of the server's input requests to have a `method`, got null\n",
    })
  })
})

describe('what steers a terminal', () => {
  const evil = 'a\u001b[2J\u001b]52;c;aGk=\u0007b\u009b31mc\u202ed\u2066e\u007f'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
  const block = { type: 'text', text: evil }
  const failing = { jsonrpc: '2.0', error: { code: -32602, message: evil } }

  it.each<[string, string[], unknown]>([
    ['in a text', ['call', 'x'], { content: [block] }],
    ['in the text of a failure', ['call', 'x'], { content: [block], isError: true }],
    ['in JSON', ['call', 'x', '--json'], { content: [block] }],
    ['in a prompt', ['prompt', 'x'], { messages: [{ role: evil, content: block }] }],
    [
      'in several contents',
      ['read', 'a://b'],
      {
        contents: [
          { uri: evil, text: evil },
          { uri: 'c', text: 'd' },
        ],
      },
    ],
    ['in a list', ['list'], { tools: [{ name: evil, description: evil }] }],
    ['in a list as JSON', ['list', '--json'], { tools: [{ name: evil, description: evil }] }],
    ['in a refusal', ['call', 'x'], failing],
  ])('%s is not printed, wherever the output goes', async (_, [command = '', ...args], result) => {
    const reply: Answer = (message, res) =>
      json(res, result === failing ? { ...failing, id: message.id } : answer(message, result as object))
    const tools: Answer = (message, res) => json(res, answer(message, { tools: [] }))
    const rows = { 'tools/call': reply, 'prompts/get': reply, 'resources/read': reply }
    const url = await serving({
      'server/discover': modern,
      'tools/list': command === 'list' ? reply : tools,
      ...rows,
    })
    const { out, error } = await run(command, url, ...args)
    expect(out + error).toContain('[2J')
    expect(out + error).not.toMatch(steering)
  })

  it('in the status line or body of a server is not printed', async () => {
    const origin = await listening((_req, res) => void res.writeHead(500, 'bad\u009b31m').end(evil))
    const { error } = await run('call', `${origin}/mcp`, 'x')
    expect(error).toContain('500')
    expect(error).not.toMatch(steering)
  })

  it('is kept as a value in JSON', () => {
    expect(JSON.parse(sanitizedJson({ evil }))).toEqual({ evil })
    expect(sanitizedJson({ evil })).not.toMatch(steering)
    expect(sanitize('one\r\ntwo\tthree')).toBe('one\ntwo\tthree')
    expect(toTable(['A'], [[evil]])).not.toMatch(steering)
  })

  it('in one resource goes into a file as it is', async () => {
    const url = await serving({
      'server/discover': modern,
      'resources/read': (message, res) =>
        json(res, answer(message, { contents: [{ uri: 'a://b', text: evil }] })),
    })
    expect((await run('read', url, 'a://b')).out).toBe(`${evil}\n`)
  })
})
