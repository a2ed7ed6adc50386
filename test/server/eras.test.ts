import { type McpRouter, PROTOCOL_VERSIONS, type RouterOptions } from 'mcp-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { addOneOfEach, routers } from '../support/routers.js'
import { connect, envelope, legacyVersions, modern } from '../wire/client.js'

const { make } = routers({ name: 'n', version: '1' })
const filled = (options: RouterOptions = {}): McpRouter => addOneOfEach(make(options))
let router: McpRouter
const hello = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
})

beforeEach(() => {
  router = filled()
})

describe('initialize', () => {
  it.each<[string, string]>([
    ...legacyVersions.map((version): [string, string] => [version, version]),
    [modern, '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
    ['2024-10-07', '2025-11-25'],
    ['1.0', '2025-11-25'],
    ['', '2025-11-25'],
  ])('asked for %j agrees on %s', async (asked, agreed) => {
    const result = await connect(router, '2025-11-25').result('initialize', hello(asked))
    expect(result).toMatchObject({ protocolVersion: agreed, serverInfo: { name: 'n', version: '1' } })
    expect(result).not.toHaveProperty('instructions')
  })

  it('carries instructions, and refuses params that make no sense', async () => {
    const client = connect(make({ instructions: 'Use it.' }), '2025-11-25')
    expect((await client.result('initialize', hello('2025-11-25'))).instructions).toBe('Use it.')
    for (const params of [{}, hello(5), { ...hello('2025-11-25'), capabilities: 5 }])
      expect((await client.error('initialize', params)).code).toBe(-32602)
  })

  it('picks among what is spoken', async () => {
    const client = connect(make({ protocolVersions: ['2025-03-26', '2024-11-05'] }), '2025-03-26')
    expect((await client.result('initialize', hello('2024-11-05'))).protocolVersion).toBe('2024-11-05')
    expect((await client.result('initialize', hello('2025-11-25'))).protocolVersion).toBe('2025-03-26')
  })
})

describe('server/discover', () => {
  it('tells versions, capabilities and who serves', async () => {
    const result = await connect(filled({ instructions: 'Use it.', title: 'T' })).result('server/discover')
    expect(result).toEqual({
      resultType: 'complete',
      supportedVersions: [modern],
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: 'Use it.',
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1', title: 'T' } },
    })
  })
})

describe('the envelope of 2026-07-28', () => {
  const ask = (_meta: unknown, method = 'tools/list') =>
    router.handle({ jsonrpc: '2.0', id: 1, method, params: { _meta } })
  it.each<[string, object]>([
    ['no capabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }],
    ['capabilities that are no object', { 'io.modelcontextprotocol/clientCapabilities': [] }],
    ['a version that is no text', { 'io.modelcontextprotocol/protocolVersion': 5 }],
    ['a client without a name', { 'io.modelcontextprotocol/clientInfo': { version: '1' } }],
    ['an unknown log level', { 'io.modelcontextprotocol/logLevel': 'loud' }],
  ])('with %s is -32602', async (_, wrong) => {
    expect(await ask(envelope(wrong as never))).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  it.each(['2025-11-25', '2027-01-01', 'v999', ''])(
    'with the version %j is -32022, naming what is spoken',
    async (version) => {
      expect(await ask(envelope({ 'io.modelcontextprotocol/protocolVersion': version }))).toMatchObject({
        error: { code: -32022, data: { supported: [modern], requested: version } },
      })
    },
  )

  it('needs no clientInfo, and carries nothing over to the next request', async () => {
    const caller = {}
    let client: unknown
    router.tool('who', {
      description: 'd',
      handler: (_, ctx) => {
        client = ctx.client
      },
    })
    const call = (_meta: object, id: number) =>
      router.handle({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'who', _meta } }, caller)
    await call(envelope({ 'io.modelcontextprotocol/clientCapabilities': { roots: {} } }), 1)
    expect(client).toMatchObject({ name: 'test', capabilities: { roots: {} } })
    await call(envelope({ 'io.modelcontextprotocol/clientInfo': undefined }), 2)
    expect(client).toEqual({ name: undefined, version: undefined, capabilities: {} })
  })
})

describe('methods', () => {
  it('of the other era are unknown', async () => {
    const old = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
    for (const method of old) expect((await connect(router).error(method, hello(modern))).code).toBe(-32601)
    for (const version of legacyVersions) {
      for (const method of ['server/discover', 'subscriptions/listen', 'no/such'])
        expect((await connect(router, version).error(method)).code).toBe(-32601)
      expect(await connect(router, version).result('ping')).toEqual({})
    }
  })

  it('whose capability is not there are unknown too', async () => {
    const empty = make()
    const client = connect(empty)
    expect((await client.result('server/discover')).capabilities).toEqual({ logging: {} })
    const methods = [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
    ]
    for (const method of methods) expect((await client.error(method)).code).toBe(-32601)
    empty.tool('t', { description: 'd', handler: () => '' })
    expect((await client.result('server/discover')).capabilities).toEqual({
      logging: {},
      tools: { listChanged: true },
    })
    expect((await client.result('tools/list')).tools).toHaveLength(1)
  })

  it('are advertised as far as a revision knows them', async () => {
    for (const version of legacyVersions) {
      const { capabilities } = await connect(router, version).result('initialize', hello(version))
      const expected = [
        'logging',
        'prompts',
        'resources',
        'tools',
        ...(version > '2025' ? ['completions'] : []),
      ]
      expect(Object.keys(capabilities).sort()).toEqual(expected.sort())
    }
  })
})

describe('protocolVersions', () => {
  it('without a modern one serves the handshake only', async () => {
    const client = connect(filled({ protocolVersions: legacyVersions }))
    expect((await client.error('server/discover')).code).toBe(-32601)
  })

  it('without a legacy one names what is spoken to whoever initializes or says nothing', async () => {
    const client = connect(filled({ protocolVersions: [modern] }), '2025-11-25')
    expect(await client.error('initialize', hello('2025-11-25'))).toMatchObject({
      code: -32022,
      data: { supported: [modern], requested: '2025-11-25' },
    })
    expect((await client.error('tools/list')).code).toBe(-32022)
    expect(PROTOCOL_VERSIONS).toEqual([...legacyVersions, modern])
  })
})
