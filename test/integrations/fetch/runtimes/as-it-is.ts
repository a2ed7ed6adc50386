/** The handler passed to a server directly: the runtime's own second argument has the peer's address. */

import { McpRouter } from 'mcp-router'
import { type FetchHandler, mcp } from 'mcp-router/fetch'
import { expect, it, onTestFinished } from 'vitest'
import { post } from '../../../contract/client.js'
import { rpc } from '../../../contract/clients.js'
import { expectError, expectText } from '../../../contract/expect.js'
import { addFixtures } from '../../../contract/fixtures.js'
import { quiet } from '../../../contract/host.js'

type Started = { readonly origin: string; close(): Promise<void> }

export function asItIs(serve: (handler: FetchHandler<object>) => Started): void {
  it("accepts the handler directly, and passes the peer's address", async () => {
    const router = new McpRouter<object>({ name: 'bare', version: '1.0.0', logger: quiet })
    addFixtures(router)
    const { origin, close } = serve(mcp(router))
    onTestFinished(close)
    const body = rpc('tools/call', { name: 'whoami', arguments: {} })
    const { ip } = JSON.parse(expectText(await post(`${origin}/mcp`, body)))
    expect(ip).toBe('127.0.0.1')
    expectError(await post(`${origin}/mcp`, body, { Host: 'evil.example' }), 403, -32600)
  })
}
