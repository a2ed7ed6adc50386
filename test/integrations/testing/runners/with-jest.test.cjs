/** CommonJS, as Jest has it by default. */

const { McpRouter } = require('mcp-router')
const { testClient, textOf } = require('mcp-router/testing')
const { eras, notesRouter } = require('./notes.cjs')

const router = notesRouter({ McpRouter })

describe.each(eras)('%s', (protocolVersion) => {
  const elicit = jest.fn(() => ({ action: 'decline' }))
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
