/** Inner requests under OpenTelemetry: in a separate process, because instrumentations patch modules. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

interface Span {
  readonly name: string
  readonly kind: number
  readonly parent: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: number
}

it("creates a span for an inner request, and leaves the MCP request's span unchanged", async () => {
  const program = fileURLToPath(new URL('inject-traced.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, NODE_OPTIONS: '', TSX_TSCONFIG_PATH: 'tsconfig.json' },
  })
  const spans = JSON.parse(stdout) as Span[]
  const server = spans.filter(({ kind }) => kind === 1)
  expect(server).toMatchObject([{ name: 'POST /mcp', attributes: { 'http.route': '/mcp' } }])
  const inner = spans.filter(({ name }) => name === 'GET /users/{id}')
  expect(inner.map(({ parent, status }) => [parent, status])).toEqual([
    ['request handler', 0],
    ['request handler', 2],
  ])
  expect(inner[0]?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/users/{id}',
    'gen_ai.tool.name': 'user_get',
    'http.response.status_code': 200,
  })
  const handlers = spans.filter(({ attributes }) => attributes['http.route'] === '/users/:id')
  expect(handlers.map(({ parent }) => parent)).toEqual(['GET /users/{id}', 'GET /users/{id}'])
})
