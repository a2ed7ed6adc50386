// Loads every entry of the installed package the way the caller does, and uses what arrives.
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { exports: entries } = require('mcp-router/package.json')

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

exports.check = async ({ load, resolve, build }) => {
  const loaded = {}
  for (const subpath of Object.keys(entries).filter((key) => key !== './package.json')) {
    const entry = `mcp-router${subpath.slice(1)}`
    assert.match(resolve(entry), new RegExp(`/dist/${build}/.*\\.js$`))
    loaded[subpath] = await load(entry)
    assert.notEqual(Object.keys(loaded[subpath]).length, 0, `${entry} exports nothing`)
  }
  const { McpRouter } = loaded['.']
  const router = new McpRouter({ name: 'consumer', version: '1.0.0' })
  router.tool('hello', {
    description: 'Says hello.',
    input: { type: 'object', properties: { name: { type: 'string' } } },
    handler: ({ name }) => `Hello ${name}`,
  })
  await checkInProcess(router)
  await checkExpress(router, loaded['./express'])
  console.log(Object.keys(loaded).join(' '))
}

async function checkInProcess(router) {
  const answer = await router.handle(LIST_TOOLS, {})
  assert.deepEqual(
    answer.result.tools.map(({ name }) => name),
    ['hello'],
  )
}

async function checkExpress(router, { mcp }) {
  const express = require('express')
  const app = express()
  app.use(mcp(router))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const call = {
      ...LIST_TOOLS,
      method: 'tools/call',
      params: { name: 'hello', arguments: { name: 'world' } },
    }
    const response = await fetch(`http://127.0.0.1:${server.address().port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(call),
    })
    const { result } = await response.json()
    assert.deepEqual(result.content, [{ type: 'text', text: 'Hello world' }])
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
