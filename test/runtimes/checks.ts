/**
 * What the core does with messages, checked on every runtime: no test library, no API of any platform. Each check throws
 * where something is wrong.
 */
import {
  type Caller,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type Logger,
  McpRouter,
} from 'mcp-router'
import { z } from 'zod'

// biome-ignore lint/suspicious/noExplicitAny: looked into, whatever came
type Json = any

const meta = (capabilities: object = {}): object => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  },
})

function equal(actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (got !== wanted) throw new Error(`expected ${wanted}, got ${got}`)
}

const silent: Logger = { info() {}, warn() {}, error() {} }

export function sampleRouter(logger: Logger = silent): McpRouter {
  const router = new McpRouter({
    name: 'checked',
    secret: 'a secret for these checks',
    exposeErrors: false,
    logger,
  })
  router.tool('add', {
    description: 'd',
    input: z.object({ a: z.number(), b: z.number().default(3) }),
    output: z.object({ sum: z.number() }),
    handler: ({ a, b }) => ({ sum: a + b }),
  })
  router.tool('repeat', {
    description: 'd',
    input: {
      type: 'object',
      properties: { word: { type: 'string', pattern: '^\\p{L}+$' }, times: { type: 'integer', default: 2 } },
      required: ['word'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { text: { type: 'string', maxLength: 9 } }, required: ['text'] },
    handler: ({ word, times = 0 }) => ({ text: word.repeat(times) }),
  })
  router.tool('who', {
    description: 'd',
    handler: async (_, ctx) => {
      const { content } = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
      return `${content?.name}`
    },
  })
  router.tool('fails', {
    description: 'd',
    handler: () => {
      throw new Error('a secret of the database')
    },
  })
  router.tool('steps', { description: 'd', handler: (_, ctx) => String(ctx.progress(1, 2)) })
  router.tool('hold', {
    description: 'd',
    handler: (_, { signal }) =>
      new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted'))),
  })
  router.resource('note://{id}', { handler: ({ id }) => (id === '1' ? 'é€😀' : undefined) })
  router.prompt('count', {
    description: 'd',
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    handler: ({ n }) => String(n + 1),
  })
  router.prompt('hi', {
    description: 'd',
    input: z.object({ name: z.string() }),
    handler: ({ name }) => `Hi ${name}`,
  })
  return router
}

function connect(router: McpRouter = sampleRouter()) {
  const sent: Json[] = []
  const gone = new AbortController()
  let wake = (): void => {}
  const caller: Caller = {
    signal: gone.signal,
    send: (message: JsonRpcNotification | JsonRpcRequest) => {
      sent.push(message)
      wake()
      return true
    },
  }
  let id = 0
  const send = (message: unknown): Promise<Json> => router.handle(message, caller)
  const ask = (method: string, params: object = {}): Promise<Json> =>
    send({ jsonrpc: '2.0', id: ++id, method, params })
  const next = async (): Promise<Json> => {
    while (sent.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return sent.shift()
  }
  return {
    sent,
    send,
    ask,
    next,
    leave: () => gone.abort(),
    call: (name: string, args: object = {}, more: object = {}) =>
      ask('tools/call', { name, arguments: args, ...more }),
    modern: (method: string, params: object = {}, capabilities: object = {}) =>
      ask(method, { ...params, ...meta(capabilities) }),
    initialize: (protocolVersion: string, capabilities: object = {}) =>
      ask('initialize', { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } }),
  }
}

export const checks: Readonly<Record<string, () => Promise<void>>> = {
  async 'every revision shakes hands'() {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      equal((await connect().initialize(version)).result.protocolVersion, version)
    equal((await connect().initialize('1999-01-01')).result.protocolVersion, '2025-11-25')
  },
  async 'durations go on where the time of day is set back'() {
    const [real, began] = [Date.now, performance.now()]
    Date.now = () => 0
    try {
      equal(performance.now() >= began, true)
    } finally {
      Date.now = real
    }
  },
  async 'the era is decided per message'() {
    const { initialize, modern, ask } = connect()
    await initialize('2025-06-18')
    equal((await modern('tools/list')).result.resultType, 'complete')
    equal((await ask('tools/list')).result.resultType, undefined)
    equal((await modern('server/discover')).result.supportedVersions, ['2026-07-28'])
    equal((await modern('ping')).error.code, -32601)
    equal((await ask('ping')).result, {})
  },
  async 'arguments are checked and results are parsed'() {
    const { call, modern } = connect()
    equal((await call('add', { a: 2 })).result.content[0].text, '{"sum":5}')
    equal((await modern('tools/call', { name: 'add', arguments: { a: 2 } })).result.structuredContent, {
      sum: 5,
    })
    const wrong = (await call('add', { a: 'two' })).result
    equal([wrong.isError, /\ba\b/.test(wrong.content[0].text)], [true, true])
  },
  async 'hand-written JSON Schema is checked'() {
    const { call, ask } = connect()
    await sampleRouter().ready()
    equal((await call('repeat', { word: 'ab' })).result.content[0].text, '{"text":"abab"}')
    const textOf = async (args: object): Promise<unknown> => {
      const { isError, content } = (await call('repeat', args)).result
      return [isError, content[0].text]
    }
    const wrong = 'Invalid arguments for tool "repeat": '
    equal(await textOf({}), [true, `${wrong}word: required, but missing`])
    equal(await textOf({ word: 'ab', times: 'x' }), [true, `${wrong}times: expected integer, got "x"`])
    equal(await textOf({ word: '1' }), [true, `${wrong}word: must match pattern "^\\p{L}+$"`])
    equal(await textOf({ word: 'ab', time: 1 }), [true, `${wrong}time: unknown key; did you mean "times"?`])
    const long: string = JSON.stringify(await call('repeat', { word: 'abcdefgh' }))
    equal([long.includes('abcdefgh'), /rror/.test(long)], [false, true])
    equal(
      (await ask('prompts/get', { name: 'count', arguments: { n: '3' } })).result.messages[0].content.text,
      '4',
    )
    equal((await ask('prompts/get', { name: 'count', arguments: { n: 'x' } })).error.code, -32602)
  },
  async 'faults are masked, and strangers are refused'() {
    const { call, ask, send } = connect()
    const failed = (await call('fails')).result
    equal([failed.isError, failed.content[0].text.includes('database')], [true, false])
    equal((await call('constructor')).error.code, -32602)
    equal((await ask('nothing/such')).error.code, -32601)
    equal((await send({ jsonrpc: '1.0', id: 1 })).error.code, -32600)
    equal(await send({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined)
  },
  async 'resources and prompts are served'() {
    const { ask, modern } = connect()
    equal((await ask('resources/read', { uri: 'note://1' })).result.contents[0].text, 'é€😀')
    equal((await ask('resources/read', { uri: 'note://2' })).error.code, -32002)
    equal((await modern('resources/read', { uri: 'note://2' })).error.code, -32602)
    const { messages } = (await ask('prompts/get', { name: 'hi', arguments: { name: 'Ana' } })).result
    equal(messages[0].content.text, 'Hi Ana')
  },
  async 'batches belong to 2025-03-26'() {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    const old = connect()
    await old.initialize('2025-03-26')
    equal((await old.send(batch)).length, 2)
    const newer = connect()
    await newer.initialize('2025-06-18')
    equal((await newer.send(batch)).error.code, -32600)
  },
  async 'a client before 2026-07-28 is asked on the wire'() {
    const { initialize, call, next, send } = connect()
    await initialize('2025-06-18', { elicitation: {} })
    const answer = call('who')
    const { id, method } = await next()
    equal(method, 'elicitation/create')
    await send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ana' } } })
    equal((await answer).result.content[0].text, 'Ana')
  },
  async 'a client of 2026-07-28 is asked with input_required, and its state is sealed'() {
    const { modern } = connect()
    const capabilities = { elicitation: { form: {} } }
    const { result } = await modern('tools/call', { name: 'who' }, capabilities)
    equal(result.resultType, 'input_required')
    const [key = ''] = Object.keys(result.inputRequests)
    const again = { name: 'who', inputResponses: { [key]: { action: 'accept', content: { name: 'Ben' } } } }
    const answered = await modern('tools/call', { ...again, requestState: result.requestState }, capabilities)
    equal(answered.result.content[0].text, 'Ben')
    const forged = await modern('tools/call', { ...again, requestState: 'forged' }, capabilities)
    equal(forged.error.code, -32602)
  },
  async 'progress goes to who asked for it'() {
    const { initialize, call, sent } = connect()
    await initialize('2025-11-25')
    equal((await call('steps')).result.content[0].text, 'false')
    equal((await call('steps', {}, { _meta: { progressToken: 7 } })).result.content[0].text, 'true')
    equal(sent[0].params, { progressToken: 7, progress: 1, total: 2 })
  },
  async 'calls are cancelled, and end with their connection'() {
    const { initialize, send, ask, leave } = connect()
    await initialize('2025-11-25')
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'hold' } }
    const cancelled = send({ ...call, id: 'a' })
    await ask('ping')
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } })
    equal(await cancelled, undefined)
    const left = send({ ...call, id: 'b' })
    await ask('ping')
    leave()
    equal(await left, undefined)
  },
  async 'changes are told of in the way of each era'() {
    const router = sampleRouter()
    const { initialize, ask, send, next } = connect(router)
    await initialize('2025-11-25')
    await ask('ping')
    const params = { notifications: { toolsListChanged: true }, ...meta() }
    const over = send({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params })
    equal((await next()).method, 'notifications/subscriptions/acknowledged')
    router.remove('tool', 'steps')
    const told = [await next(), await next()]
    const wanted = 'notifications/tools/list_changed'
    equal(
      told.map(({ method }) => method),
      [wanted, wanted],
    )
    await router.close({ drainMs: 0 })
    equal((await over).result.resultType, 'complete')
  },
  async 'long answers, many calls'() {
    const { call } = connect()
    const answers = await Promise.all(Array.from({ length: 500 }, (_, a) => call('add', { a, b: 1 })))
    equal(
      answers.map(({ result }) => JSON.parse(result.content[0].text).sum),
      Array.from({ length: 500 }, (_, a) => a + 1),
    )
  },
}
