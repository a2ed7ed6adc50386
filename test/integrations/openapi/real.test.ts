/** Documents of real size: unreadable operations don't affect others, and all schemas are JSON Schema 2020-12. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Handle } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { convert, type Json } from './documents.js'
import { largeDocument } from './large.js'

const published = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url))

/** Documents by the owner of the API. */
const documents = [
  { api: 'Directus, JSON', file: published('@directus/specs/dist/openapi.json') },
  { api: 'Figma, YAML', file: published('@figma/rest-api-spec/openapi/openapi.yaml') },
  { api: 'GitBook, JSON', file: published('@gitbook/api/spec/openapi.json') },
]
const methods = ['get', 'put', 'post', 'delete', 'patch']

function operationsIn(file: string): number {
  const { paths } = parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> }
  return Object.values(paths).flatMap((item) => methods.filter((method) => method in item)).length
}

/** Interval of tools whose schemas are also compiled, which takes longer. */
const sample = 25

/** `convert` has checked each schema separately. Documents use their own formats and keywords. */
function expectUsable(tools: readonly Handle[]): void {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, logger: false })
  for (const [index, { name, inputSchema, outputSchema }] of tools.entries()) {
    for (const schema of [inputSchema, outputSchema]) {
      if (schema === undefined) continue
      for (const ref of refsIn(schema))
        expect(Object.keys(Object((schema as Json).$defs)), `${name} ${ref}`).toContain(ref)
      if (index % sample === 0) expect(() => ajv.compile(schema as Json), name).not.toThrow()
    }
    expect(inputSchema, name).toMatchObject({ type: 'object' })
    expect(JSON.stringify(inputSchema).length, name).toBeLessThan(32_769)
  }
}

/** Renames definitions. Other references stay unchanged. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, held]) =>
    key === '$ref' && typeof held === 'string' ? [held.replace(/^#\/\$defs\//, '')] : refsIn(held),
  )
}

describe.each(documents)('the document of $api', ({ file }) => {
  it('makes a tool of every operation that is not hidden', { timeout: 60_000 }, async () => {
    const { tools, report } = await convert(file)
    expect(report.tools.length + report.skipped.length).toBe(operationsIn(file))
    for (const { reason } of report.skipped) expect(reason).toBe('hidden')
    expect(new Set(report.tools).size).toBe(report.tools.length)
    expectUsable(tools)
  })
})

describe('a document of 450 operations and more', () => {
  it("makes 450 tools that are small enough, and reports operations that it can't read", {
    timeout: 60_000,
  }, async () => {
    const { tools, report } = await convert(largeDocument(450))
    expect(report.tools).toHaveLength(450)
    expect(new Set(report.tools).size).toBe(450)
    expect(report.skipped).toEqual(
      [
        { operation: 'GET /broken/{id', reason: expect.stringContaining('a brace is not closed') },
        {
          operation: 'POST /elsewhere',
          reason: expect.stringContaining('other documents are not supported'),
        },
      ].map((one) => expect.objectContaining(one)),
    )
    expectUsable(tools)
  })
})
