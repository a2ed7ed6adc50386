/** Helpers for the checks of all three APIs: clients of both eras, and calls with short results to compare. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export const modes = ['auto', 'legacy'] as const

export async function connect(url: string, mode: (typeof modes)[number], key: string): Promise<Client> {
  const client = new Client({ name: 'route-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

export async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).sort()
}

/** Returns the text of the result, or `refused: …` if the tool failed. */
export async function call(client: Client, name: string, input = {}): Promise<string> {
  const { content, isError = false } = await client.callTool({ name, arguments: input })
  const text = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
  return `${isError ? 'refused: ' : ''}${text}`
}

/** Returns the status and body of a plain HTTP request to the same route. */
export async function rest(url: string, key: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const answer = await fetch(url, { headers, ...init })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
