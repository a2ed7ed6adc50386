/** MCP Apps: a tool and its page in one definition. */

import { appTool, McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'

const html = '<!doctype html><title>x</title>'
const options = { description: 'd', handler: () => 'shown as text' }

async function ask(router: McpRouter<object>, protocolVersion: string, method: string, params: object = {}) {
  const answer = await router.handle({ jsonrpc: '2.0', id: 1, method, params }, { protocolVersion })
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON that a test looks into
  return (answer as any).result
}

describe('appTool', () => {
  it.each(['2025-06-18', '2025-11-25'])('links the tool to its page for clients of %s', async (version) => {
    const router = new McpRouter<object>()
    router.add(appTool('chart', { ...options, page: { html, visibility: ['app'] } }))
    const [tool] = (await ask(router, version, 'tools/list')).tools
    const uri = 'ui://chart/index.html'
    expect(tool._meta).toEqual({ ui: { resourceUri: uri, visibility: ['app'] }, 'ui/resourceUri': uri })
    const [page] = (await ask(router, version, 'resources/list')).resources
    expect(page).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' })
    expect((await router.call('chart')).content).toEqual([{ type: 'text', text: 'shown as text' }])
  })

  it('sends the sandbox permissions in the list and with the page, and keeps other meta of the tool', async () => {
    const router = new McpRouter<object>()
    const page = {
      html: () => html,
      uri: 'ui://own/page',
      csp: { connectDomains: ['https://api.example.com'], frameDomains: [] },
      permissions: ['camera', 'geolocation'] as const,
      prefersBorder: true,
    }
    router.add(appTool('chart', { ...options, meta: { 'example.com/x': 1 }, page }))
    const ui = {
      csp: page.csp,
      permissions: { camera: {}, geolocation: {} },
      prefersBorder: true,
    }
    const [listed] = (await ask(router, '2025-11-25', 'resources/list')).resources
    expect(listed._meta).toEqual({ ui })
    expect((await router.read('ui://own/page')).contents).toEqual([
      { uri: 'ui://own/page', mimeType: 'text/html;profile=mcp-app', text: html, _meta: { ui } },
    ])
    expect((await ask(router, '2025-11-25', 'tools/list')).tools[0]._meta).toMatchObject({
      'example.com/x': 1,
    })
  })

  it('is announced to clients only if there is an app', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const router = new McpRouter<object>()
    router.tool('plain', options)
    expect((await ask(router, '2025-11-25', 'initialize', hello)).capabilities.extensions).toBeUndefined()
    router.add(appTool('chart', { ...options, page: { html } }))
    expect((await ask(router, '2025-11-25', 'initialize', hello)).capabilities.extensions).toEqual({
      'io.modelcontextprotocol/ui': {},
    })
  })

  it.each([
    [{ html: 'hello' }, /html.*HTML document/],
    [{ html, uri: 'https://x' }, /uri.*ui:\/\//],
    [{ html, csp: { connectDomains: ['*; script-src *'] } }, /connectDomains.*origin/],
    [{ html, csp: { connect: [] } }, /connect.*connectDomains/],
    [{ html, sandbox: true }, /sandbox/],
    [{ html, permissions: ['files'] }, /permissions.*camera/],
  ])('refuses %j', (page, message) => {
    expect(() => appTool('chart', { ...options, page: page as never })).toThrow(message)
  })
})
