import { audio, embed, link, McpRouter, result, text } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, legacyVersions, modern, recorder, versions } from '../wire/client.js'

// What each revision's schema can carry, row by row.

const icons = [{ src: 'https://example.com/i.png' }]
const annotations = { priority: 1, lastModified: '2026-01-01T00:00:00Z' }
const meta = { 'example.com/note': 1 }
const display = { title: 'Title', description: 'Description', icons, meta }
const router = new McpRouter({
  name: 'p',
  version: '1',
  title: 'Title',
  description: 'D',
  websiteUrl: 'https://e.x',
  icons,
  logger: recorder().logger,
})
router.tool('plain', {
  ...display,
  annotations: { readOnly: true },
  output: z.object({ a: z.number() }),
  handler: () => ({ a: 1 }),
})
router.tool('list', { ...display, output: z.array(z.number()), handler: () => [1] })
router.tool('own', { ...display, handler: () => result({ content: 'x', structuredContent: { a: 1 }, meta }) })
router.tool('blocks', {
  ...display,
  handler: () => [
    text('t', { annotations, meta }),
    audio('AQID', 'audio/wav', { meta }),
    link('file:///a', { title: 'A', icons }),
    embed('file:///b', 'b'),
  ],
})
router.tool('progress', { ...display, handler: (_, ctx) => void ctx.progress(1, 2, 'half') })
router.resource('a://b', { ...display, annotations, handler: () => [{ text: 'x', meta }] })
router.resource('t://{id}', {
  ...display,
  annotations,
  complete: { id: () => [] },
  list: () => [{ uri: 't://1', name: 'One', title: 'T', icons, annotations, meta }],
  handler: () => 'x',
})
router.prompt('p', {
  ...display,
  input: z.object({ id: z.string().meta({ title: 'Id' }) }),
  handler: () => [
    { role: 'user', content: audio('AQID', 'audio/wav') },
    { role: 'user', content: link('file:///a', { meta }) },
  ],
})

const since = (version: string, first: string): boolean => version >= first

describe.each(versions)('to a %s client', (version) => {
  const client = connect(router, version)
  const definitions = async () => {
    const { tools } = await client.result('tools/list')
    const { resources } = await client.result('resources/list')
    const { resourceTemplates } = await client.result('resources/templates/list')
    const { prompts } = await client.result('prompts/list')
    return {
      tools,
      resources,
      resourceTemplates,
      prompts,
      all: [...tools, ...resources, ...resourceTemplates, ...prompts],
    }
  }

  it('titles, icons and _meta are on definitions from their revisions on', async () => {
    const { all, prompts } = await definitions()
    expect(all).toHaveLength(9)
    for (const item of all) {
      expect(item).toHaveProperty('name')
      expect([item.name, 'title' in item]).toEqual([item.name, since(version, '2025-06-18')])
      expect([item.name, '_meta' in item]).toEqual([item.name, since(version, '2025-06-18')])
      expect([item.name, 'icons' in item]).toEqual([item.name, since(version, '2025-11-25')])
    }
    expect('title' in prompts[0].arguments[0]).toBe(since(version, '2025-06-18'))
  })

  it('annotations are on tools from 2025-03-26 on, lastModified on resources from 2025-06-18 on', async () => {
    const { tools, resources, resourceTemplates } = await definitions()
    expect(tools[0].annotations).toEqual(since(version, '2025-03-26') ? { readOnlyHint: true } : undefined)
    for (const item of [...resources, ...resourceTemplates]) {
      expect(item.annotations).toEqual(since(version, '2025-06-18') ? annotations : { priority: 1 })
    }
  })

  it('output schemas and structured content are objects from 2025-06-18 on, anything for 2026-07-28', async () => {
    const { tools } = await definitions()
    const [plain, list] = tools
    const { structuredContent: object, content } = await client.result('tools/call', { name: 'plain' })
    const { structuredContent: array, content: bare } = await client.result('tools/call', { name: 'list' })
    const own = await client.result('tools/call', { name: 'own' })
    expect(content).toEqual([{ type: 'text', text: '{"a":1}' }])
    expect(bare).toEqual([{ type: 'text', text: '[1]' }])
    expect(own._meta).toMatchObject(meta)
    if (!since(version, '2025-06-18')) {
      for (const item of tools) expect(item).not.toHaveProperty('outputSchema')
      expect([object, array, own.structuredContent]).toEqual([undefined, undefined, undefined])
      return
    }
    expect(plain.outputSchema).toMatchObject({ type: 'object', properties: { a: { type: 'number' } } })
    expect(list.outputSchema).toMatchObject(
      version === modern
        ? { type: 'array' }
        : { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] },
    )
    expect([object, array]).toEqual([{ a: 1 }, version === modern ? [1] : { result: [1] }])
    expect(own.structuredContent).toEqual({ a: 1 })
  })

  it('audio and resource links become kinds of block that it knows', async () => {
    const { content } = await client.result('tools/call', { name: 'blocks' })
    const { messages } = await client.result('prompts/get', { name: 'p', arguments: { id: '1' } })
    const [plain, sound, linked, embedded] = content
    expect('_meta' in plain).toBe(since(version, '2025-06-18'))
    expect('lastModified' in plain.annotations).toBe(since(version, '2025-06-18'))
    for (const block of [sound, messages[0].content]) {
      if (since(version, '2025-03-26')) expect(block).toMatchObject({ type: 'audio', data: 'AQID' })
      else
        expect(block).toMatchObject({ type: 'resource', resource: { mimeType: 'audio/wav', blob: 'AQID' } })
    }
    expect('_meta' in sound).toBe(since(version, '2025-06-18'))
    for (const block of [linked, messages[1].content]) {
      if (since(version, '2025-06-18'))
        expect(block).toMatchObject({ type: 'resource_link', uri: 'file:///a' })
      else expect(block).toMatchObject({ type: 'text', text: expect.stringContaining('file:///a') })
    }
    expect('icons' in linked).toBe(since(version, '2025-11-25'))
    expect(embedded).toEqual({
      type: 'resource',
      resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'b' },
    })
  })

  it('contents of resources carry _meta from 2025-06-18 on', async () => {
    const { contents } = await client.result('resources/read', { uri: 'a://b' })
    expect(contents[0]._meta).toEqual(since(version, '2025-06-18') ? meta : undefined)
  })

  it('progress carries its message from 2025-03-26 on', async () => {
    await client.result('tools/call', { name: 'progress' }, { progressToken: 7 })
    expect(client.notices.at(-1)?.params).toEqual({
      progressToken: 7,
      progress: 1,
      total: 2,
      ...(since(version, '2025-03-26') && { message: 'half' }),
    })
  })

  it('a missing resource has the code of its era and names its URI', async () => {
    const error = await client.error('resources/read', { uri: 'none://x' })
    expect(error).toMatchObject({ code: version === modern ? -32602 : -32002, data: { uri: 'none://x' } })
  })

  it('the modern envelope is on every modern result and on no other', async () => {
    const methods = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']
    const results = [
      ...(await Promise.all(methods.map((method) => client.result(method)))),
      await client.result('resources/read', { uri: 'a://b' }),
    ]
    const uncached = [
      await client.result('tools/call', { name: 'plain' }),
      await client.result('prompts/get', { name: 'p', arguments: { id: '1' } }),
    ]
    for (const answer of [...results, ...uncached]) {
      if (version === modern) {
        expect(answer.resultType).toBe('complete')
        expect(answer._meta['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'p', version: '1' })
      } else {
        for (const key of ['resultType', '_meta', 'ttlMs', 'cacheScope'])
          expect(answer).not.toHaveProperty(key)
      }
    }
    for (const answer of results) expect('ttlMs' in answer && 'cacheScope' in answer).toBe(version === modern)
    for (const answer of uncached) expect('ttlMs' in answer || 'cacheScope' in answer).toBe(false)
  })
})

it.each(legacyVersions)('serverInfo of %s has the members that this revision knows', async (version) => {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const { serverInfo, capabilities } = await connect(router, version).result('initialize', params)
  expect(serverInfo).toEqual({
    name: 'p',
    version: '1',
    ...(since(version, '2025-06-18') && { title: 'Title' }),
    ...(since(version, '2025-11-25') && { description: 'D', websiteUrl: 'https://e.x', icons }),
  })
  expect('completions' in capabilities).toBe(since(version, '2025-03-26'))
})
