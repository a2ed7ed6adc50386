/** Clients for the checks in client.ts: plain HTTP, and the official MCP client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** `auto` negotiates the newest revision, `legacy` uses a revision with `initialize`. */
export type Mode = 'auto' | 'legacy'

export function createCalls(url: string) {
  const base = url.replace(/\/+$/, '')

  /** Sends a request: `rest('GET /tasks', token)` → `{ status, body }` */
  async function rest(route: string, token = '', body?: unknown) {
    const [method = 'GET', path = '/'] = route.split(' ')
    const headers: Record<string, string> = { Accept: 'application/json, text/event-stream' }
    if (token) headers.Authorization = `Bearer ${token}`
    if (body) headers['Content-Type'] = 'application/json'
    const answer = await fetch(base + path, { method, headers, body: body ? JSON.stringify(body) : null })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : undefined }
  }

  async function login({ name, password }: { name: string; password: string }): Promise<string> {
    const { body } = await rest('POST /login', '', { username: name, password })
    return body.token
  }

  async function connect(mode: Mode, token: string): Promise<Client> {
    const client = new Client({ name: 'task-check', version: '1.0.0' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { Authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
    return client
  }

  async function call(client: Client, name: string, input = {}) {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: input })
    const [block] = content
    return { data: structuredContent, text: block?.type === 'text' ? block.text : '', isError }
  }

  async function read(client: Client, uri: string): Promise<string> {
    const [item] = (await client.readResource({ uri })).contents
    return item && 'text' in item ? item.text : ''
  }

  return { rest, login, connect, call, read }
}
