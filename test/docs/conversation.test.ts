/** What docs/conversation.md promises. */

import type { McpRouter } from 'mcp-router'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Json } from './client.js'
import { reserved } from './preludes/conversation.js'
import { conversationPage, load } from './programs.js'

let router: McpRouter<object>
const extension = 'io.modelcontextprotocol/tasks'
const everything = { elicitation: {}, sampling: {}, roots: {}, extensions: { [extension]: {} } }

beforeAll(async () => {
  router = (await load<{ router: McpRouter<object> }>(conversationPage)).router
})

/** As a 2026-07-28 client sends it. */
async function modern(method: string, params: object, capabilities: object = everything): Promise<Json> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return router.handle({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
}

const call = (name: string, args: object, more: object = {}, capabilities?: object): Promise<Json> =>
  modern('tools/call', { name, arguments: args, ...more }, capabilities)

describe('docs/conversation.md', () => {
  it('reserves once, however often it asks', async () => {
    const { result } = await call('order', { sku: 'A1' })
    const [key = ''] = Object.keys(result.inputRequests)
    const again = { requestState: result.requestState }
    await call('order', { sku: 'A1' }, again)
    const inputResponses = { [key]: { action: 'accept', content: { street: 'Elm St 1' } } }
    const done = await call('order', { sku: 'A1' }, { ...again, inputResponses })
    expect(done.result.content[0].text).toBe('R1 goes to Elm St 1')
    expect(reserved).toEqual(['A1'])
    expect((await call('order', { sku: 'A1' }, {}, {})).error.code).toBe(-32021)
  })

  it('asks a model and for folders together', async () => {
    const { result } = await call('describe', { sku: 'A1' })
    expect(Object.values<Json>(result.inputRequests).map(({ method }) => method)).toEqual([
      'sampling/createMessage',
      'roots/list',
    ])
    const answers: Record<string, object> = {
      'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Blue' } },
      'roots/list': { roots: [] },
    }
    const { content } = await router.call('describe', { sku: 'A1' }, { ask: ({ method }) => answers[method] })
    expect(content).toEqual([{ type: 'text', text: 'Blue (0 folders)' }])
    expect((await call('describe', { sku: 'A1' }, {}, {})).result.content[0].text).toBe('A1, undescribed')
  })

  it('confirms', async () => {
    const args = { reason: 'rain' }
    const { result } = await call('shop_close', args)
    const yes = {
      inputResponses: { 'mcp-router/confirm': { action: 'accept' } },
      requestState: result.requestState,
    }
    expect((await call('shop_close', args, yes)).result.content[0].text).toBe('Closed: rain')
    expect((await call('shop_close', args, yes)).error.code).toBe(-32602)
  })

  it('counts as a task, and asks in it', async () => {
    const { taskId } = (await call('inventory', {})).result
    const task = await vi.waitFor(async () => {
      const { result } = await modern('tasks/get', { taskId })
      expect(result.status).toBe('input_required')
      return result
    })
    const [key = ''] = Object.keys(task.inputRequests)
    await modern('tasks/update', {
      taskId,
      inputResponses: { [key]: { action: 'accept', content: { yes: true } } },
    })
    await vi.waitFor(async () => {
      const { result } = await modern('tasks/get', { taskId })
      expect(result.result.content[0].text).toBe('42 booked')
    })
  })

  it('has a page for results, and text for those without', async () => {
    const { tools } = (await modern('tools/list', {})).result
    const { _meta } = tools.find(({ name }: Json) => name === 'stock_chart')
    const uri = 'ui://stock_chart/index.html'
    expect(_meta.ui).toEqual({ resourceUri: uri })
    const [page] = (await router.read(uri)).contents
    expect(page).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      text: expect.stringContaining('<title>Stock'),
      _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] } } },
    })
    expect((await router.call('stock_chart')).content).toHaveLength(1)
    const { capabilities } = (await modern('server/discover', {})).result
    expect(capabilities.extensions).toMatchObject({ 'io.modelcontextprotocol/ui': {}, [extension]: {} })
  })
})
