/** Sources of documents, and untrustworthy documents. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runtime } from '#runtime'
import { convert, documentOf, inputSchemaOf, type Json, operation } from './documents.js'

const yaml = `
openapi: 3.0.3
info: { title: t, version: '1' }
paths:
  /tasks:
    get: &list
      operationId: list
      parameters:
        - { in: query, name: day, schema: { type: string, format: date, example: 2026-01-31 } }
      responses: { '200': { description: ok } }
    post:
      <<: *list
      operationId: make
`

describe('a document', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }

  it('is read from YAML and JSON files, by path and by URL', async () => {
    const path = await file('api.yaml', yaml)
    expect((await convert(path)).report.tools).toEqual(['list', 'make'])
    expect((await convert(pathToFileURL(path))).report.tools).toEqual(['list', 'make'])
    const json = await file('api.json', JSON.stringify(operation('GET /x', { operationId: 'x' })))
    expect((await convert(json)).report.tools).toEqual(['x'])
  })

  it('is fetched, without credentials', async () => {
    const seen: Json[] = []
    const server = createServer((req, res) => {
      seen.push(req.headers)
      if (req.url === '/missing') res.statusCode = 404
      res.end(yaml)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect((await convert(`${url}/api.yaml`)).report.tools).toEqual(['list', 'make'])
    await expect(convert(`${url}/missing`)).rejects.toThrow('/missing answered 404')
    expect(seen[0]).not.toHaveProperty('authorization')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  it.each<[string, object, string]>([
    ['of Swagger 2', { swagger: '2.0', paths: {} }, 'got Swagger 2.0; convert it first'],
    ['of another version', { openapi: '4.0.0', paths: {} }, 'got `openapi: 4.0.0` in the document'],
    ['without paths', { openapi: '3.1.0', webhooks: {} }, 'got one without `paths`'],
    ['that is a list', [], 'expected an OpenAPI 3.0, 3.1 or 3.2 document'],
  ])('%s is refused', async (_, document, message) => {
    await expect(convert(document)).rejects.toThrow(message)
  })

  it('of more than 32 MiB is refused, and not read to its end', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const path = await file('large.json', ' '.repeat(33 * 1024 * 1024))
    await expect(convert(path)).rejects.toThrow(/large\.json is larger than 33554432 bytes/)
    let left = false
    const server = createServer((_req, res) => {
      res.on('close', () => {
        left = true
      })
      const write = (): void => {
        while (!left && res.write(piece));
      }
      res.on('drain', write)
      write()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/endless.json`
    await expect(convert(url)).rejects.toThrow(`${url} is larger than 33554432 bytes`)
    await vi.waitFor(() => expect(left).toBe(true))
    await new Promise((resolve) => server.close(resolve))
  })

  it('in YAML says which package to install if it is missing', async () => {
    const path = await file('plain.yaml', yaml)
    const load = vi.spyOn(runtime, 'load').mockImplementation((name) => {
      throw new Error(`Cannot find module '${name}'`)
    })
    onTestFinished(() => load.mockRestore())
    await expect(convert(path)).rejects.toThrow(/YAML documents need the package "yaml"; install it/)
  })

  it('that is neither JSON nor YAML is refused, with its name', async () => {
    await expect(convert(await file('bad.json', '{"openapi": '))).rejects.toThrow(
      /bad\.json is neither JSON nor YAML/,
    )
    await expect(convert(await file('bad.yaml', 'a: [1'))).rejects.toThrow(
      /bad\.yaml is neither JSON nor YAML/,
    )
    await expect(convert(join(folder, 'none.yaml'))).rejects.toThrow('none.yaml cannot be read: ENOENT')
  })
})

describe('a hostile document', () => {
  it('with nested aliases is refused', async () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (const [index, name] of [...'bcdefghi'].entries()) {
      const before = 'abcdefgh'[index]
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`)
    }
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    await writeFile(join(folder, 'bomb.yaml'), bomb.join('\n'))
    await expect(convert(join(folder, 'bomb.yaml'))).rejects.toThrow('Excessive alias count')
    await rm(folder, { recursive: true })
  })

  it('that contains itself through an alias is truncated', async () => {
    const schema: Json = { type: 'object', properties: { name: { type: 'string' } } }
    ;(schema.properties as Json).self = schema
    const content = { 'application/json': { schema } }
    const { report, tools } = await convert(
      operation('POST /x', { requestBody: { content }, responses: { 200: { description: 'ok', content } } }),
    )
    expect(report.tools).toEqual(['post_x'])
    expect(JSON.stringify(tools[0]?.inputSchema).length).toBeLessThan(32_769)
  })

  it('with names of prototypes changes none', async () => {
    const document = JSON.parse(`{
      "openapi": "3.0.0", "paths": {
        "/__proto__/{constructor}": { "post": {
          "operationId": "__proto__",
          "parameters": [
            { "in": "path", "name": "constructor", "required": true, "schema": { "type": "string" } },
            { "in": "query", "name": "__proto__", "schema": { "type": "object", "properties": { "polluted": { "type": "boolean" } } } },
            { "in": "query", "name": "toString", "schema": { "$ref": "#/components/schemas/__proto__" } }
          ],
          "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/hasOwnProperty" } } } },
          "responses": { "__proto__": {}, "200": { "$ref": "#/__proto__/x" } }
        } }
      },
      "components": { "schemas": {
        "__proto__": { "type": "integer" },
        "hasOwnProperty": { "type": "object", "properties": { "__proto__": { "type": "object" }, "valueOf": { "$ref": "#/components/schemas/hasOwnProperty" } } }
      } } }`)
    const { tools, report } = await convert(document)
    expect(report.skipped).toEqual([
      {
        operation: 'POST /__proto__/{constructor}',
        reason: expect.stringContaining('"#/__proto__/x" is not found'),
      },
    ])
    delete document.paths['/__proto__/{constructor}'].post.responses['200']
    const again = await convert(document)
    expect(again.tools.map(({ name }) => name)).toHaveLength(1)
    expect(Object.keys((again.tools[0]?.inputSchema as Json | undefined)?.properties ?? {})).toEqual([
      'constructor',
      'toString',
      'valueOf',
    ])
    expect(tools).toEqual([])
    expect({}).not.toHaveProperty('polluted')
  })

  it.each([
    'https://evil.example/a.json',
    'file:///etc/passwd',
    './secrets.yaml#/a',
    '//evil.example',
    '#/paths',
  ])('is read no further than itself: %s', async ($ref) => {
    const schema = await inputSchemaOf(
      operation('GET /x', { parameters: [{ in: 'query', name: 'a', schema: { $ref } }] }),
    )
    expect(schema.properties).toEqual({ a: {} })
  })

  it('with very long chains of references does no harm', async () => {
    const schemas: Json = { s20000: { type: 'string' } }
    for (let n = 0; n < 20_000; n++) schemas[`s${n}`] = { $ref: `#/components/schemas/s${n + 1}` }
    const { report } = await convert({
      ...documentOf({
        '/x': {
          post: {
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/s0' } } } },
            responses: {},
          },
        },
        '/y': { get: { responses: {} } },
      }),
      components: { schemas },
    })
    expect(report.tools).toContain('get_y')
  })
})
