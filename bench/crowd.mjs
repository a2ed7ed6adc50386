// Opens many streams of a server and reads them: `node crowd.mjs URL COUNT bare|modern|session`. Prints `open` at the end.
import { Agent, request } from 'node:http'

const [, , url, count, how] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

function send(method, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, resolve)
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

async function openSession() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'crowd', version: '1' },
  }
  const answer = await send('POST', json, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  answer.resume()
  const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': answer.headers['mcp-session-id'] }
  return send('GET', { ...headers, 'MCP-Protocol-Version': '2025-11-25' })
}

const listen = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourcesListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
const modern = { ...json, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' }
const open = {
  bare: () => send('GET', {}),
  modern: () => send('POST', modern, listen),
  session: openSession,
}

for (let done = 0; done < Number(count); done += 100) {
  const answers = await Promise.all(Array.from({ length: Math.min(100, count - done) }, open[how]))
  for (const answer of answers) {
    if (answer.statusCode !== 200) throw new Error(`expected a stream, got ${answer.statusCode}`)
    await new Promise((resolve) => answer.once('data', resolve))
    answer.resume()
  }
}
console.log('open')
