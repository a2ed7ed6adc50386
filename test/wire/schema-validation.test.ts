import { audio, embed, image, link, McpRouter, prompt, resource, result, text, tool } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, recorder, type TestClient, versions } from './client.js'
import { type Json, validatorFor } from './validator.js'

const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'] }]
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' }
const meta = { 'example.com/note': 1 }
const bytes = new Uint8Array([1, 2, 3])
const display = { title: 'Title', description: 'Description', icons, meta }

/** Every kind of result, one tool each. */
const tools = {
  words: tool({ ...display, handler: () => 'words' }),
  number: tool({ ...display, handler: () => 42 }),
  nothing: tool({ ...display, handler: () => undefined }),
  list: tool({ ...display, handler: () => [1, { a: null }] }),
  blocks: tool({
    ...display,
    annotations: { title: 'Blocks', readOnly: true, destructive: false, idempotent: true, openWorld: false },
    handler: () => [
      text('t', { annotations, meta }),
      image(bytes, 'image/png', { annotations, meta }),
      audio(bytes, 'audio/wav', { annotations, meta }),
      link('file:///a.txt', { title: 'A', description: 'D', mimeType: 'text/plain', size: 3, icons, meta }),
      embed('file:///b.txt', 'b', 'text/plain', { annotations, meta }),
      embed('file:///c.bin', bytes),
    ],
  }),
  structured: tool({ ...display, output: z.object({ at: z.date() }), handler: () => ({ at: new Date(0) }) }),
  structuredList: tool({ ...display, output: z.array(z.number()), handler: () => [1, 2] }),
  structuredNumber: tool({ ...display, output: z.number(), handler: () => 7 }),
  structuredNull: tool({ ...display, output: z.null(), handler: () => null }),
  structuredEither: tool({
    ...display,
    output: z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]),
    handler: () => ({ a: 1 }),
  }),
  structuredByHand: tool({
    ...display,
    output: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
    handler: () => [1],
  }),
  structuredRecursive: tool({
    ...display,
    output: { type: 'array', items: { $ref: '#' } },
    handler: () => [[], [[]]],
  }),
  whole: tool({ ...display, handler: () => result({ content: 'c', structuredContent: [1], meta }) }),
  failed: tool({ ...display, handler: () => result({ content: 'no', isError: true }) }),
  checked: tool({ ...display, input: z.object({ n: z.number().default(1) }), handler: ({ n }) => n }),
  throws: tool({
    ...display,
    handler: () => {
      throw new Error('secret')
    },
  }),
  cannotTravel: tool({ ...display, handler: () => ({ big: 1n }) }),
  notices: tool({
    ...display,
    handler: (_, ctx) => {
      ctx.progress(1, 3, 'one')
      ctx.progress(2)
      ctx.log.info('hello')
      ctx.log.error('with data', { a: [1, null] })
    },
  }),
}

const resources = [
  resource('config://app', {
    ...display,
    name: 'config',
    annotations,
    mimeType: 'application/json',
    text: '{}',
  }),
  resource('blob://logo', { ...display, blob: bytes }),
  resource('many://x', {
    ...display,
    handler: () => [
      { text: 'a', meta },
      { blob: bytes, uri: 'many://x/1' },
    ],
  }),
  resource('broken://x', {
    handler: () => {
      throw new Error('secret')
    },
  }),
  resource('task://{id}{?verbose}', {
    ...display,
    annotations,
    mimeType: 'text/markdown',
    complete: { id: () => ['1', '2'] },
    list: () => [
      { uri: 'task://1', name: 'One', title: 'T', description: 'D', size: 3, icons, annotations, meta },
      { uri: 'task://2', name: 'Two' },
    ],
    handler: ({ id }) => (id === '0' ? undefined : `# ${id}`),
  }),
]

const prompts = {
  summarise: prompt({
    ...display,
    input: z.object({
      id: z.string().meta({ title: 'Id', description: 'Which' }),
      tone: z.string().optional(),
    }),
    complete: { tone: () => ['calm'] },
    handler: ({ id }) => `Summarise ${id}`,
  }),
  dialogue: prompt({
    ...display,
    handler: () => [
      { role: 'user', content: audio(bytes, 'audio/wav', { annotations, meta }) },
      { role: 'assistant', content: link('file:///a', { icons, title: 'A' }) },
      { role: 'user', content: embed('file:///b', 'b', 'text/plain', { meta }) },
    ],
  }),
}

const router = new McpRouter({
  name: 'wire',
  version: '1.2.3',
  title: 'Wire',
  description: 'Says everything.',
  websiteUrl: 'https://example.com',
  instructions: 'Use it.',
  icons,
  pageSize: 2,
  exposeErrors: false,
  logger: recorder().logger,
})
router.add(tools).add(resources).add(prompts)

interface Exchanged {
  method: string
  answer: unknown
}

/** Everything a client can ask for, in one go. */
async function scenario(client: TestClient): Promise<Exchanged[]> {
  const exchanged: Exchanged[] = []
  const ask = async (method: string, params: Json = {}, more: Json = {}): Promise<Json> => {
    const answer = await client.request(method, params, more)
    exchanged.push({ method, answer })
    return answer as unknown as Json
  }
  const isModern = client.version === '2026-07-28'
  if (isModern) await ask('server/discover')
  else {
    const info = { name: 'c', version: '1' }
    await ask('initialize', { protocolVersion: client.version, capabilities: {}, clientInfo: info })
    await ask('ping')
    await ask('logging/setLevel', { level: 'debug' })
    await ask('logging/setLevel', { level: 'loud' })
  }
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    let cursor: unknown
    do {
      const answer = await ask(method, cursor === undefined ? {} : { cursor })
      cursor = (answer.result as Json | undefined)?.nextCursor
    } while (cursor !== undefined)
    await ask(method, { cursor: 'forged' })
  }
  for (const name of [...Object.keys(tools), 'constructor']) {
    const level = isModern ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {}
    await ask('tools/call', { name, arguments: {} }, { progressToken: 'p', ...level })
  }
  await ask('tools/call', { name: 'checked', arguments: { n: 'x' } })
  await ask('tools/call', { name: 'checked', arguments: 5 })
  for (const uri of [
    'config://app',
    'blob://logo',
    'many://x',
    'broken://x',
    'task://1',
    'task://0',
    'no://x',
  ])
    await ask('resources/read', { uri })
  await ask('prompts/get', { name: 'summarise', arguments: { id: '1' } })
  await ask('prompts/get', { name: 'summarise' })
  await ask('prompts/get', { name: 'dialogue' })
  await ask('prompts/get', { name: 'none' })
  const argument = { name: 'id', value: '' }
  await ask('completion/complete', { ref: { type: 'ref/resource', uri: 'task://{id}{?verbose}' }, argument })
  await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'summarise' }, argument })
  await ask('completion/complete', { ref: { type: 'ref/none' }, argument })
  await ask('no/such/method')
  return exchanged
}

describe.each(versions)('every message to a %s client', (version) => {
  const { response, notification } = validatorFor(version)

  it('validates against the official schema of that revision', async () => {
    const client = connect(router, version)
    const exchanged = await scenario(client)
    const problems = exchanged.flatMap(({ method, answer }) =>
      response(method, answer).map((problem) => `${problem} in ${JSON.stringify(answer)}`),
    )
    expect(problems).toEqual([])
    expect(client.notices.map(({ method }) => method)).toContain('notifications/progress')
    expect(client.notices.map(({ method }) => method)).toContain('notifications/message')
    expect(client.notices.flatMap(notification)).toEqual([])
  })

  it('is judged by a validator that does refuse', () => {
    expect(response('tools/list', { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 1 }] } })).not.toEqual(
      [],
    )
    const block = { type: 'video', data: '' }
    expect(response('tools/call', { jsonrpc: '2.0', id: 1, result: { content: [block] } })).not.toEqual([])
    expect(response('ping', { jsonrpc: '2.0', id: 1, error: { message: 'x' } })).not.toEqual([])
    const params = { progressToken: null, progress: 'x' }
    expect(notification({ jsonrpc: '2.0', method: 'notifications/progress', params })).not.toEqual([])
  })

  it('validates where no id can be read, as far as the revision has a form for it', async () => {
    const answer = await connect(router, version).send({ jsonrpc: '2.0', id: null, method: 'ping' })
    expect(answer).toMatchObject({ error: { code: -32600 } })
    expect(answer).not.toHaveProperty('id')
    if (version >= '2025-11-25') expect(response('ping', answer)).toEqual([])
  })

  it('advertises schemas that what is sent fulfils', async () => {
    if (version < '2025-06-18') return
    const all = new McpRouter({ logger: recorder().logger }).add(tools)
    const client = connect(all, version)
    const { tools: listed } = await client.result('tools/list')
    const { Ajv2020 } = await import('ajv/dist/2020.js')
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    for (const { name, outputSchema } of listed) {
      if (outputSchema === undefined) continue
      const { structuredContent } = await client.result('tools/call', { name })
      const travelled = JSON.parse(JSON.stringify({ value: structuredContent })).value
      expect([name, ajv.validate(outputSchema, travelled), ajv.errors]).toEqual([name, true, null])
      if (version < '2026-07-28') expect([name, outputSchema.type]).toEqual([name, 'object'])
    }
  })
})
