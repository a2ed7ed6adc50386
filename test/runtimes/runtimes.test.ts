/** The core answers the same on every runtime; stdio, HTTP and the explorer on Bare. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { buildExplorer } from '../../scripts/explorer.mjs'
import { socketTo } from '../contract/exchange.js'
import { binaries, bundle, type Runtime, root } from './bundle.js'
import { checks } from './checks.js'

const names = Object.keys(checks)

describe('on Node', () => {
  it.each(names)('%s', async (name) => {
    await checks[name]?.()
  })
})

describe.each(Object.keys(binaries) as Runtime[])('on %s', (runtime) => {
  const [command, ...args] = binaries[runtime]

  it('answers the same', async () => {
    const program = await bundle(runtime, 'run-checks.ts')
    const { stdout } = await promisify(execFile)(command, [...args, program], { cwd: root })
    expect(stdout.trim().split('\n')).toEqual(names.map((name) => `OK ${name}`))
  })

  it('serves stdio, with stdout to itself, and goes with its client', async () => {
    const child = spawn(command, [...args, await bundle(runtime, 'stdio.ts')], { cwd: root })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [out, error] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      error += text
    })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 2 } } }
    child.stdin.write(
      Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(`nonsense\n${JSON.stringify(call)}\n`)]),
    )
    child.stdin.end('{"jsonrpc":"2.0","id":2,"method":"ping"}')
    const [code] = await once(child, 'close')
    const [first, ...lines] = out.trim().split('\n')
    expect([code, first]).toEqual([0, 'on its way'])
    const answers = lines.map((line) => JSON.parse(line))
    expect(answers.filter((answer) => answer.error).map((answer) => answer.error.code)).toEqual([
      -32700, -32700,
    ])
    expect(answers.find(({ id }) => id === 1).result.content[0].text).toBe('{"sum":5}')
    expect(answers.find(({ id }) => id === 2).result).toEqual({})
    expect(error).toContain('closed')
  })
})

async function serveBare(hear: (line: string) => void = () => {}): Promise<string> {
  const [command] = binaries.bare
  const child = spawn(command, [await bundle('bare', 'http-bare.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
  child.stdout.on('data', hear)
  return `http://127.0.0.1:${Number(port)}/mcp`
}

it('serves HTTP on bare-http1: both eras, streams, refusals', async () => {
  const url = await serveBare()
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const opened = await post({ method: 'initialize', params })
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await jsonOf(opened)).result.protocolVersion).toBe('2025-11-25')
  const added = await post({ method: 'tools/call', params: { name: 'add', arguments: { a: 2 } } }, session)
  expect((await jsonOf(added)).result.content[0].text).toBe('{"sum":5}')
  const steps = await post(
    { method: 'tools/call', params: { name: 'steps', _meta: { progressToken: 1 } } },
    session,
  )
  expect(steps.headers.get('content-type')).toContain('text/event-stream')
  expect(await steps.text()).toContain('notifications/progress')
  expect((await post({ method: 'ping' }, { Origin: 'https://evil.example' })).status).toBe(403)
  expect((await post({ method: 'ping' }, { Host: 'localhost' })).status).toBe(200)
  expect((await fetch(new URL('/other', url))).status).toBe(404)
  expect((await jsonOf(await fetch(`${url}/health`))).server).toBe('checked')
})

it('refuses bodies on bare-http1 that are packed, too large or without an end, and survives those that break off', async () => {
  const url = await serveBare()
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body })
  expect((await send('{}', { 'Content-Encoding': 'gzip' })).status).toBe(415)
  expect((await send('{"jsonrpc":')).status).toBe(400)
  expect((await send('x'.repeat(5 * 1024 * 1024))).status).toBe(413)
  const head = ['POST /mcp HTTP/1.1', `Host: ${new URL(url).host}`, 'Content-Type: application/json']
  const broken = socketTo(url)
  const half = [...head, 'Content-Length: 1000', '', '{"jsonrpc":'].join('\r\n')
  await new Promise((resolve) => broken.write(half, resolve))
  broken.destroy()
  const endless = socketTo(url)
  endless.write([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'))
  const piece = Buffer.concat([
    Buffer.from('100000\r\n'),
    Buffer.alloc(1024 * 1024, 120),
    Buffer.from('\r\n'),
  ])
  let answer = ''
  endless.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  endless.on('error', () => {})
  const answered = once(endless, 'data')
  for (let count = 0; count < 200 && answer === ''; count++) {
    if (!endless.write(piece)) await Promise.race([once(endless, 'drain'), answered])
  }
  await answered
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  endless.destroy()
  expect((await jsonOf(await fetch(`${url}/health`))).running).toBe(0)
})

it('shows the explorer on bare-http1', async () => {
  await buildExplorer()
  let said = ''
  const url = await serveBare((text) => {
    said += text
  })
  // There is no NODE_ENV: the page wants the key from the log.
  expect((await fetch(url, { headers: { Accept: 'text/html' } })).status).toBe(403)
  await vi.waitFor(() => expect(said).toMatch(/\?key=\S+ /))
  const [link = ''] = /http\S+/.exec(said) ?? []
  const opened = await fetch(link, { headers: { Accept: 'text/html' }, redirect: 'manual' })
  const headers = { Cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const page = await fetch(url, { headers: { Accept: 'text/html', ...headers } })
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('src="mcp/explorer/app.js"')
  const script = await fetch(`${url}/explorer/app.js`, { headers })
  expect(script.headers.get('content-type')).toContain('javascript')
  expect((await script.text()).length).toBeGreaterThan(100_000)
  expect((await fetch(`${url}/explorer/other.js`, { headers })).status).toBe(404)
})

// biome-ignore lint/suspicious/noExplicitAny: looked into, whatever came
const jsonOf = (response: Response): Promise<any> => response.json() as Promise<any>
