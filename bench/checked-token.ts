/** Measures what a token with a cached result adds to a call: the same mount with and without `auth`, without a socket. */

import { createServer, type RequestListener } from 'node:http'
import { Duplex } from 'node:stream'
import express from 'express'
import { McpRouter } from 'mcp-router'
import { mcp as expressMount } from 'mcp-router/express'
import { mcp as fetchMount } from 'mcp-router/fetch'
import { mcp as nodeMount } from 'mcp-router/node'
import { compare } from './measure.js'
import { costRow, type Row } from './row.js'

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'ping', arguments: {} },
})
/** A token as long as those of common identity providers. */
const token = `eyJ${'a1B2-_'.repeat(149)}xyz`
const headers = {
  host: 'localhost',
  authorization: `Bearer ${token}`,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'content-length': String(body.length),
  'mcp-protocol-version': '2025-11-25',
}

const auth = {
  authorizationServers: ['https://login.example.com'],
  verify: () => ({ subject: 'ana', scopes: ['notes'], claims: {} }),
  cacheMs: 600_000,
}

function router(): McpRouter<object> {
  const created = new McpRouter<object>({ name: 'bench', version: '1.0.0' })
  created.tool('ping', { description: 'Answers.', handler: () => 'pong' })
  return created
}

type Run = () => Promise<unknown>

function onFetch(options: object): Run {
  const handler = fetchMount(router(), options)
  return async () => {
    const response = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    if (response.status !== 200) throw new Error(await response.text())
    return response.text()
  }
}

/** An in-memory connection that reports each response. */
class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  onResponse: (text: string) => void = () => {}
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    done()
    this.onResponse(String(chunk))
  }
}

const onNode = (options: object): Run => onSocket(nodeMount(router(), options))
const onExpress = (options: object): Run => onSocket(express().use(expressMount(router(), options)))

function onSocket(listener: RequestListener): Run {
  const connection = new Connection()
  // Node documents that any Duplex stream may be emitted here.
  createServer(listener).emit('connection', connection)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
  return () =>
    new Promise<void>((resolve, reject) => {
      connection.onResponse = (answer) =>
        answer.startsWith('HTTP/1.1 200 ') ? resolve() : reject(new Error(`expected 200, got ${answer}`))
      connection.push(text)
    })
}

const mounts = { fetch: onFetch, node: onNode, express: onExpress }

/** Measures each mount. The limit is 20 µs. */
export async function measureCheckedToken(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, mount] of Object.entries(mounts)) {
    const { ours, against } = await compare(1_000, {
      ours: mount({ auth, publicUrl: 'http://localhost/mcp' }),
      bare: mount({}),
    })
    const added = { ours: ours - against, against: 20 }
    rows.push(costRow(`cost of a cached token, ${name} mount`, 'at most 20 µs', 1, added, 'µs'))
  }
  return rows
}
