/** The command and servers at a URL. */

import { PROTOCOL_VERSIONS } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { bundled, execute, root, run, start } from './binary.js'
import { listening, ours, sdkSse, sdkStreamable } from './servers.js'

describe.each(PROTOCOL_VERSIONS)('a server of %s', (version) => {
  it('is called, with progress and log notices on stderr', async () => {
    const { url } = await ours([version])
    const { code, out, error } = await run('call', url, 'add', 'a=1', 'b=2', '--json')
    expect(JSON.parse(out).content).toEqual([{ type: 'text', text: '{"sum":3}' }])
    expect(error).toContain(version === '2024-11-05' ? '[1/2]\n' : '[1/2] half\n')
    expect(error).toContain('info add: adding {"a":1,"b":2}')
    expect(code).toBe(0)
  })
})

describe.each(['2025-11-25', '2026-07-28'])('a server of %s', (version) => {
  it('gets headers, and arguments that it wants in headers', async () => {
    const { url } = await ours([version])
    const token = ['--token', 'T', '-H', 'X-Key: a: b']
    expect(JSON.parse((await run('call', url, 'who', ...token)).out)).toEqual({
      token: 'Bearer T',
      key: 'a: b',
      protocolVersion: version,
    })
    const { out } = await run('call', url, 'where', 'city=München')
    expect(JSON.parse(out)).toEqual({
      city: 'München',
      ...(version === '2026-07-28' && { header: '=?base64?TcO8bmNoZW4=?=' }),
    })
  })

  it('cannot ask where nobody is at the terminal', async () => {
    const { url } = await ours([version])
    const { code, out, error } = await run('call', url, 'ask')
    expect({ code, out }).toEqual({ code: 0, out: 'decline\n' })
    expect(error).toContain('Declined, because there is no terminal to ask at: Sure?')
  })

  it('has its call cancelled by Ctrl-C', async () => {
    const { url, running, aborted } = await ours([version])
    const { process, ended } = start([await bundled(), 'call', url, 'hang'], root)
    await running
    process.kill('SIGINT')
    await aborted
    expect(await ended).toEqual({ code: 130, out: '', error: 'Cancelled.\n' })
  })

  it('is listed, all pages of it', async () => {
    const { url } = await ours([version])
    const { out } = await run('list', url)
    expect(out).toContain('KIND      NAME          ARGUMENTS  DESCRIPTION')
    expect(out).toContain('tool      add           a, b       Adds two numbers.')
    expect(out).toContain('tool      hang                     Never ends.')
    expect(out).toContain('template  note://{+id}             A note.')
    expect(out).toContain('prompt    sum           id         Sums up.')
    const lines = JSON.parse((await run('list', url, '--json')).out)
    expect(lines[0]).toMatchObject({ kind: 'tool', name: 'add', inputSchema: { type: 'object' } })
  })

  it('has its resources read and its prompts got', async () => {
    const { url } = await ours([version])
    expect((await run('read', url, 'note://größer')).out).toBe('note größer\n')
    expect((await run('prompt', url, 'sum', 'id=007')).out).toBe('user: Sum up 007\n')
    const { stdout } = start([await bundled(), 'read', url, 'logo://app'], root).process
    const bytes = Buffer.concat(
      (await stdout?.setEncoding('latin1').toArray())?.map((text) => Buffer.from(text, 'latin1')) ?? [],
    )
    expect([...bytes]).toEqual([137, 0, 255])
  })
})

describe('exit codes', () => {
  it('tell a tool that failed from a server that refuses', async () => {
    const { url } = await ours()
    const failed = await run('call', url, 'fail')
    expect(failed).toMatchObject({ code: 1, out: '' })
    expect(failed.error).toMatch(/^Internal error/)
    const { code, error } = await run('call', url, 'ask_')
    expect({ code, error }).toEqual({
      code: 4,
      error: 'The server refused: Invalid params: there is no tool "ask_"; did you mean ask? (-32602)\n',
    })
  })

  it('tell who is not let in, and say what to give', async () => {
    const origin = await listening((_req, res) => {
      res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"sign in first"}')
    })
    const { code, error } = await run('call', `${origin}/mcp`, 'x')
    expect(code).toBe(4)
    expect(error).toContain('401 Unauthorized: sign in first; pass a --token')
  })

  it.each<[string, number, Record<string, string>, string]>([
    ['no endpoint', 404, {}, 'is the path right? The endpoint is usually at /mcp'],
    ['one that moved', 308, { location: 'https://a.example/mcp' }, 'it has moved to https://a.example/mcp'],
    ['a page', 200, { 'content-type': 'text/html' }, 'responded with 200 OK'],
  ])('tell %s', async (_, status, headers, message) => {
    const origin = await listening((_req, res) => void res.writeHead(status, headers).end('<html>'))
    const { code, error } = await run('call', `${origin}/mcp`, 'x')
    expect({ code, error }).toEqual({ code: 3, error: expect.stringContaining(message) })
  })

  it('tell a server that is not there', async () => {
    const { code, error } = await run('list', 'http://127.0.0.1:9/mcp')
    expect({ code, error }).toEqual({ code: 3, error: expect.stringMatching(/^Cannot reach the server: /) })
  })

  it('tell wrong use', async () => {
    const url = 'http://127.0.0.1:9/mcp'
    for (const args of [['--header', 'x'], ['--user', '1'], ['--jsn']]) {
      expect((await run('call', url, 'x', ...args)).code).toBe(2)
    }
    expect((await run('list', url, '--fail-on', 'unguarded-write')).code).toBe(2)
  })
})

it('arguments come from stdin', async () => {
  const { url } = await ours()
  const { out } = await execute([await bundled(), 'call', url, 'add', '-', 'b=5'], root, '{"a":1,"b":2}')
  expect(JSON.parse(out)).toEqual({ sum: 6 })
})

it('a stream that was closed on purpose is taken up again', async () => {
  const { url } = await ours(['2025-11-25'])
  expect(await run('call', url, 'later')).toMatchObject({ code: 0, out: 'closed: true\n' })
})

describe('other servers', () => {
  it.each([
    ['Streamable HTTP, as a stream', () => sdkStreamable(false)],
    ['Streamable HTTP, in JSON', () => sdkStreamable(true)],
    ['HTTP+SSE', sdkSse],
    ['HTTP+SSE of ours', async () => (await ours(['2024-11-05'])).sse],
  ])('%s', async (name, open) => {
    const url = await open()
    const call = name.endsWith('ours') ? ['add', 'a=1', 'b=2'] : ['hello', 'name=Ana']
    const said = name.endsWith('ours') ? '{"sum":3}\n' : 'Hello Ana\n'
    expect(await run('call', url, ...call)).toMatchObject({ code: 0, out: said })
  })

  it('keep what they print from steering the terminal', async () => {
    const { url } = await ours()
    const { error } = await run('call', url, 'x\u001b[31m')
    expect(error).not.toContain('\u001b')
  })
})
