import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { McpRouter } from 'mcp-router'
import { testClient, textOf } from 'mcp-router/testing'
import { eras, notesRouter } from './notes.cjs'

const router = notesRouter({ McpRouter })

for (const protocolVersion of eras) {
  describe(protocolVersion, () => {
    const elicit = mock.fn(() => ({ action: 'decline' }))
    const client = testClient(router, { user: { id: 'ana' }, protocolVersion, elicit })

    it('calls', async () => {
      assert.equal(textOf(await client.callTool('share', { id: 1 })), 'ana: 1 decline')
      assert.equal(elicit.mock.calls[0].arguments[0].message, 'Sure?')
      assert.deepEqual(client.progress, [{ progress: 1 }])
    })

    it('fails', async () => {
      assert.equal((await client.callTool('share', { id: 'x' })).isError, true)
      await assert.rejects(client.callTool('nobody'), { code: -32602 })
    })
  })
}
