/** The command and servers that do not do what they should: one line that says what, and no stack. */

import { expect, it, test } from 'vitest'
import type { Json } from '../../contract/client.js'
import { latch } from '../../contract/fixtures.js'
import { bundled, root, run, start } from './binary.js'
import {
  type Answer,
  agrees,
  answer,
  json,
  listening,
  modern,
  noDiscovery,
  old,
  ours,
  serving,
  stream,
} from './servers.js'

async function expectEnd(args: readonly string[], code: number, message: RegExp | string): Promise<void> {
  const ran = await run(...args)
  expect(ran).toEqual({
    code,
    out: '',
    error: typeof message === 'string' ? message : expect.stringMatching(message),
  })
  expect(ran.error).not.toMatch(/\n\s+at /)
}

test('a server that asks for ever is left', async () => {
  let rounds = 0
  const asks: Answer = (message, res) => {
    rounds += 1
    const ask = { method: 'elicitation/create', params: { message: 'Again?', requestedSchema: {} } }
    json(res, answer(message, { resultType: 'input_required', inputRequests: { again: ask } }))
  }
  const url = await serving({ 'server/discover': modern, 'tools/call': asks })
  await expectEnd(
    ['call', url, 'x'],
    3,
    /tools\/call: the server asked for input 100 times and sent no result\n$/,
  )
  expect(rounds).toBe(100)
})

test.each([
  ['a revision that nobody knows', '1999-01-01'],
  ['no revision', undefined],
])('a server that agrees on %s is left', async (_, version) => {
  const url = await serving({ ...old, initialize: agrees(version) })
  await expectEnd(
    ['call', url, 'x'],
    3,
    /the server chose revision (1999-01-01|undefined); this client supports 2024-11-05/,
  )
})

test('a server of 2026-07-28 that refuses to be asked is believed', async () => {
  const error = { code: -32021, message: 'bring sampling' }
  const refuses: Answer = ({ id }, res) => json(res, { jsonrpc: '2.0', id, error })
  const url = await serving({ 'server/discover': refuses })
  await expectEnd(['call', url, 'x'], 4, 'The server refused: bring sampling (-32021)\n')
})

test('a server of revisions to come is spoken to as before', async () => {
  const error = { code: -32022, message: 'not that one', data: { supported: ['2030-01-01'] } }
  const url = await serving({
    ...old,
    'server/discover': ({ id }, res) => json(res, { jsonrpc: '2.0', id, error }),
    'tools/call': (message, res) => json(res, answer(message, { content: [{ type: 'text', text: 'hi' }] })),
  })
  expect(await run('call', url, 'x')).toMatchObject({ code: 0, out: 'hi\n' })
})

test.each<[string, object | string]>([
  ['an error without a code', { jsonrpc: '2.0', id: 1, error: {} }],
  ['an error that is a text', { jsonrpc: '2.0', id: 1, error: 'broken' }],
  ['no result', { jsonrpc: '2.0', id: 1 }],
  ['a list', []],
  ['half of an answer', '{"jsonrpc":"2.0","id"'],
])('a server that answers with %s is shown by its status', async (_, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const odd: Answer = (__, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(text)
  const url = await serving({ 'server/discover': modern, 'tools/call': odd })
  await expectEnd(['call', url, 'x'], 3, /\/mcp responded with 200 OK/)
})

test('a stream that ends, or breaks, before it has answered is no answer', async () => {
  const ends = await serving({
    'server/discover': modern,
    'tools/call': (_, res) => stream(res).end(': hello\n\n'),
  })
  await expectEnd(['call', ends, 'x'], 3, /\/mcp closed its stream without a response\n$/)
  const breaks: Answer = (_, res) => stream(res).write(': hello\n\n', () => res.destroy())
  const broken = await serving({ 'server/discover': modern, 'tools/call': breaks })
  await expectEnd(['call', broken, 'x'], 3, /^Cannot reach the server: /)
})

test('a stream that breaks is taken up where it was, as often as is sensible', async () => {
  const asked: unknown[] = []
  const breaks: Answer = (_, res) => stream(res).write('id: 1\nretry: 1\ndata:\n\n', () => res.destroy())
  const returns: Answer = (_, res, req) => {
    asked.push(req.headers['last-event-id'])
    stream(res).end('retry: 1\n\n')
  }
  const url = await serving({ ...old, 'tools/call': breaks, GET: returns })
  await expectEnd(['call', url, 'x'], 3, /closed its stream without a response\n$/)
  expect(asked).toEqual(Array.from({ length: 20 }, () => '1'))
})

test('what this client cannot do is refused, and the call goes on', async () => {
  const refused = latch<Json>()
  const asks: Answer = (message, res) => {
    stream(res).write(`data: {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}\n\n`)
    void refused.opened.then(() =>
      res.end(`data: ${JSON.stringify(answer(message, { content: [{ type: 'text', text: 'done' }] }))}\n\n`),
    )
  }
  const origin = await listening(async (req, res) => {
    let body = ''
    for await (const part of req.setEncoding('utf8')) body += part
    const message = JSON.parse(body || '{}')
    if (message.id === 's') {
      refused.open(message)
      res.writeHead(202).end()
    } else if (message.method === 'tools/call') asks(message, res, req)
    else if (message.method === 'server/discover') noDiscovery(message, res, req)
    else if (message.method === 'initialize') agrees('2025-06-18')(message, res, req)
    else json(res, answer(message, { tools: [] }))
  })
  expect(await run('call', `${origin}/mcp`, 'x')).toMatchObject({ code: 0, out: 'done\n' })
  expect((await refused.opened).error).toEqual({
    code: -32601,
    message: 'this client does not support sampling/createMessage',
  })
})

test.each([
  ['wants messages elsewhere', 'event: endpoint\ndata: https://evil.example/x\n\n'],
  ['never says where to post', ': hello\n\n'],
])('a stream of 2024-11-05 that %s is sent nothing', async (_, said) => {
  const asked: string[] = []
  const origin = await listening((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    if (req.method === 'GET') stream(res).end(said)
    else res.writeHead(405).end()
  })
  await expectEnd(
    ['call', `${origin}/sse`, 'x', '--token', 'T'],
    3,
    /\/sse responded with 405 Method Not Allowed/,
  )
  expect(asked).toEqual(['POST /sse', 'POST /sse', 'GET /sse'])
})

it('has its call cancelled by Ctrl-C on a stream of 2024-11-05', async () => {
  const { sse, running, aborted } = await ours(['2024-11-05'])
  const { process, ended } = start([await bundled(), 'call', sse, 'hang'], root)
  await running
  process.kill('SIGINT')
  await aborted
  expect(await ended).toEqual({ code: 130, out: '', error: 'Cancelled.\n' })
})
