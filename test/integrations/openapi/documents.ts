/** Documents for tests, and their conversion. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Handle, McpRouter } from 'mcp-router'
import { addOpenApi, type OpenApiReport } from 'mcp-router/openapi'
import { expect } from 'vitest'

export type Json = Record<string, unknown>

/** Creates a complete document from paths. */
export function documentOf(paths: Json, rest: Json = {}): Json {
  return { openapi: '3.0.3', info: { title: 't', version: '1' }, paths, ...rest }
}

/** Creates a document with one operation: `GET /x` with the given members. */
export function operation(line: string, said: Json, rest: Json = {}): Json {
  const [method = 'GET', path = '/x'] = line.split(' ')
  const withAnswer = { responses: { 200: { description: 'ok' } }, ...said }
  return documentOf({ [path]: { [method.toLowerCase()]: withAnswer } }, rest)
}

export function silentRouter(): McpRouter {
  const silent = () => {}
  return new McpRouter({
    name: 't',
    version: '1',
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  })
}

export interface Converted {
  readonly router: McpRouter
  readonly report: OpenApiReport
  readonly tools: readonly Handle[]
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Adds the document, and checks that every resulting schema is JSON Schema 2020-12. */
export async function convert(document: object | string | URL, options: Json = {}): Promise<Converted> {
  const router = silentRouter()
  const report = await addOpenApi(router, document, { baseUrl: 'http://127.0.0.1:1', ...options } as never)
  const tools = router.list().filter(({ kind }) => kind === 'tool') as Handle[]
  for (const { inputSchema, outputSchema } of tools) {
    for (const schema of [inputSchema, outputSchema]) {
      if (schema !== undefined) expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true)
    }
  }
  return { router, report, tools }
}

/** Returns the input schema of a document's only tool. */
export async function inputSchemaOf(document: object): Promise<Json> {
  const { tools, report } = await convert(document)
  expect(report.skipped).toEqual([])
  return tools[0]?.inputSchema as Json
}
