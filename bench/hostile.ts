/** Measures the arguments that take longest to validate within `maxBodyBytes`, `maxDepth` and `maxElements`. */

import { McpRouter } from 'mcp-router'
import { mcp } from 'mcp-router/fetch'
import { median } from './measure.js'
import { costRow, type Row } from './row.js'

const rounds = 9

const kinds = Array.from({ length: 60 }, (_, index) => `kind ${index}`)
const node = { $ref: '#/$defs/node' }
const branch = (kind: string) => ({
  type: 'object',
  properties: { children: { type: 'array', items: node }, type: { const: kind } },
  required: ['type'],
})
const union = (of: readonly string[]) => ({
  type: 'object',
  properties: { root: node },
  $defs: { node: { anyOf: of.map(branch) } },
})

/** Builds a deep tree of few kinds whose innermost node matches none of them. */
function deep(): object {
  let root: object = { type: 'none' }
  for (let level = 0; level < 28; level++) root = { type: 'kind 1', children: [root] }
  return { root }
}

const tools: Readonly<Record<string, { readonly input: object; readonly args: () => object }>> = {
  'a deep recursive union': { input: union(kinds.slice(0, 2)), args: deep },
  'a wide recursive union': {
    input: union(kinds),
    args: () => ({
      root: { type: 'kind 59', children: Array.from({ length: 33_000 }, () => ({ type: 'kind 59' })) },
    }),
  },
  'a recursive union of lists': {
    input: {
      type: 'object',
      properties: { root: node },
      $defs: { node: { anyOf: [{ type: 'number' }, { type: 'array', uniqueItems: true, items: node }] } },
    },
    args: () => {
      let root: unknown[] = Array.from({ length: 90_000 }, (_, index) => index)
      for (let level = 0; level < 55; level++) root = [level, root]
      return { root }
    },
  },
  '`uniqueItems` of objects': {
    input: { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } },
    args: () => ({ list: Array.from({ length: 33_000 }, (_, id) => ({ id, tags: [id] })) }),
  },
  'a union, and 99,000 wrong items': {
    input: {
      type: 'object',
      properties: { list: { type: 'array', items: { anyOf: kinds.map((kind) => ({ const: kind })) } } },
    },
    args: () => ({ list: Array.from({ length: 99_000 }, () => 0) }),
  },
}

export async function measureHostile(): Promise<Row[]> {
  const silent = { info() {}, warn() {}, error() {} }
  const router = new McpRouter({ name: 'bench', version: '1.0.0', logger: silent })
  const bodies = Object.entries(tools).map(([name, { input, args }], index) => {
    router.tool(`tool_${index}`, {
      description: 'Takes anything.',
      input: input as never,
      handler: () => 'ok',
    })
    const params = { name: `tool_${index}`, arguments: args() }
    return [name, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })] as const
  })
  router.tool('strict', {
    description: 'Takes an id.',
    input: { type: 'object', properties: { id: {} }, additionalProperties: false },
    handler: () => 'ok',
  })
  const brackets = ['4 MiB of opening brackets', '['.repeat(4 * 1024 * 1024)] as const
  const handler = mcp(router)
  const rows: Row[] = []
  for (const [name, body] of [...bodies, brackets]) {
    const costs: number[] = []
    for (let round = 0; round < rounds; round++) costs.push(await milliseconds(handler, body))
    rows.push(
      costRow(`hostile: ${name}`, 'a limit of 100 ms', 1, { ours: median(costs), against: 100 }, 'ms'),
    )
  }
  return [...rows, await unknownArguments(handler)]
}

/** Measures unknown arguments, relative to parsing, since parsing so many names alone may take longer than 100 ms. */
async function unknownArguments(handler: (request: Request) => unknown): Promise<Row> {
  const args = Object.fromEntries(Array.from({ length: 99_000 }, (_, index) => [`k${index}`, 0]))
  const params = { name: 'strict', arguments: args }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const costs = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    costs.ours.push(await milliseconds(handler, body))
    const started = process.cpuUsage()
    JSON.parse(body)
    const { user, system } = process.cpuUsage(started)
    costs.against.push((user + system) / 1_000)
  }
  const medians = { ours: median(costs.ours), against: median(costs.against) }
  return costRow('hostile: 99,000 unknown arguments', 'parsing the same body', 0.4, medians, 'ms')
}

/** Measures the CPU time of a call in milliseconds, including parsing and responding. */
async function milliseconds(handler: (request: Request) => unknown, body: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body })
  const started = process.cpuUsage()
  await (await (handler(request) as Promise<Response>)).text()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
