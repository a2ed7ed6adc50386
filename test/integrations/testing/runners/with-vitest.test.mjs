import { McpRouter } from 'mcp-router'
import { testClient, textOf } from 'mcp-router/testing'
import { describe, expect, it, vi } from 'vitest'
import { eras, notesRouter } from './notes.cjs'

const router = notesRouter({ McpRouter })

describe.each(eras)('%s', (protocolVersion) => {
  const elicit = vi.fn(() => ({ action: 'decline' }))
  const client = testClient(router, { user: { id: 'ana' }, protocolVersion, elicit })

  it('calls', async () => {
    expect(textOf(await client.callTool('share', { id: 1 }))).toBe('ana: 1 decline')
    expect(elicit).toHaveBeenCalledWith(expect.objectContaining({ message: 'Sure?' }))
    expect(client.progress).toEqual([{ progress: 1 }])
  })

  it('fails', async () => {
    expect(await client.callTool('share', { id: 'x' })).toMatchObject({ isError: true })
    await expect(client.callTool('nobody')).rejects.toMatchObject({ code: -32602 })
  })
})
