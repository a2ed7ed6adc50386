// Loads every entry of the installed package the way the caller does, and uses what arrives.
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { createServer } = require('node:http')
const { exports: entries } = require('mcp-router/package.json')

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const CALL = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    ...LIST_TOOLS,
    method: 'tools/call',
    params: { name: 'hello', arguments: { name: 'world' } },
  }),
}

/** What is no module, or needs another runtime than Node. */
const elsewhere = ['./package.json', './bare']

exports.check = async ({ load, resolve, build }) => {
  const loaded = {}
  for (const subpath of Object.keys(entries).filter((key) => !elsewhere.includes(key))) {
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
  await checkTesting(router, loaded['./testing'])
  await checkFiles(new McpRouter(), loaded['./files'])
  await checkHost(router, loaded['./express'], onExpress)
  await checkHost(router, loaded['./koa'], onKoa)
  await checkHost(router, loaded['./node'], ({ mcp }, own) => createServer(mcp(own)).listen(0, '127.0.0.1'))
  await checkHost(router, loaded['./fastify'], onFastify)
  const { status } = await loaded['./fetch'].mcp(router)(new Request('http://127.0.0.1/mcp', CALL))
  assert.equal(status, 200)
  await checkInProcess(loaded['./otel'].instrument(router))
  console.log(Object.keys(loaded).join(' '))
}

async function checkInProcess(router) {
  const answer = await router.handle(LIST_TOOLS, {})
  assert.deepEqual(
    answer.result.tools.map(({ name }) => name),
    ['hello'],
  )
}

async function checkTesting(router, { testClient, textOf }) {
  const answer = await testClient(router).callTool('hello', { name: 'tester' })
  assert.equal(textOf(answer), 'Hello tester')
}

async function checkFiles(router, { loadDirectory }) {
  await loadDirectory(router, `${__dirname}/mcp`)
  assert.deepEqual((await router.call('hello')).content, [{ type: 'text', text: 'Hello file' }])
}

function onExpress({ mcp }, router) {
  return require('express')().use(mcp(router)).listen(0, '127.0.0.1')
}

function onKoa({ mcp }, router) {
  const { default: Koa = require('koa') } = require('koa')
  return new Koa().use(mcp(router)).listen(0, '127.0.0.1')
}

/** The whole module, as `app.register(require('mcp-router/fastify'))` has it. */
async function onFastify(module, router) {
  const app = require('fastify')()
  await app.register(module, { router })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

async function checkHost(router, module, start) {
  const server = await start(module, router)
  if (!server.listening) await once(server, 'listening')
  try {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/mcp`, CALL)
    const { result } = await response.json()
    assert.deepEqual(result.content, [{ type: 'text', text: 'Hello world' }])
    await checkExplorer(`http://127.0.0.1:${server.address().port}/mcp`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Its files are found from wherever the build is. */
async function checkExplorer(url) {
  for (const address of [url, `${url}/explorer/app.js`]) {
    const { status } = await fetch(address, { headers: { accept: 'text/html' } })
    assert.equal(status, 200, `${address} answers ${status}`)
  }
}
