/**
 * Checks the task API from outside: the REST API, then MCP as both users and in both eras of the protocol.
 * `client.ts http://127.0.0.1:3000` checks a running server; without a URL it starts one.
 */
import assert from 'node:assert/strict'
import { createCalls, type Mode } from './calls.js'
import { ana, ben } from './db.js'
import { Task, TaskList } from './tasks.js'

process.env.LOG_LEVEL ??= 'silent'
const own = process.argv[2] ? undefined : await (await import('./start.js')).start(0)
const { rest, login, connect, call, read } = createCalls(process.argv[2] ?? own?.url ?? '')

try {
  const tokens = await checkRest()
  await checkMcp('auto', '2026-07-28', tokens)
  await checkMcp('legacy', '2025-11-25', tokens)
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await own?.close()
}

async function checkRest() {
  assert.deepEqual(await rest('GET /nope'), { status: 404, body: { error: 'No such route' } })
  ok('REST: an unknown route is a 404 in JSON')

  assert.deepEqual(await rest('GET /tasks'), { status: 401, body: { error: 'Unauthorized' } })
  assert.equal((await rest('POST /login', '', { username: 'ana', password: 'guess' })).status, 401)
  ok('REST: no token and a wrong password are 401')

  const tokens = { ana: await login(ana), ben: await login(ben) }
  ok('REST: both users log in')

  const { status, body } = await rest('POST /tasks', tokens.ana, { title: '' })
  assert.equal(status, 400)
  assert.equal(body.issues[0].field, 'title')
  ok('REST: a bad field is a 400 that names it')

  assert.equal((await rest('POST /mcp', '', { jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401)
  await assert.rejects(connect('auto', 'no-token'))
  ok('MCP: no token is 401')
  return tokens
}

async function checkMcp(mode: Mode, version: string, tokens: { ana: string; ben: string }) {
  const asAna = await connect(mode, tokens.ana)
  const asBen = await connect(mode, tokens.ben)
  assert.equal(asAna.getNegotiatedProtocolVersion(), version)
  ok(`${mode}: both users connect and speak ${version}`)

  const { tools } = await asAna.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'task_create',
    'task_delete',
    'task_list',
    'task_update',
  ])
  assert.equal(tools.find(({ name }) => name === 'task_list')?.annotations?.readOnlyHint, true)
  ok(`${mode}: the four tools are listed`)

  const anaSees = await call(asAna, 'task_list')
  const benSees = await call(asBen, 'task_list')
  assert.deepEqual(anaSees.data, (await rest('GET /tasks', tokens.ana)).body)
  assert.deepEqual(benSees.data, (await rest('GET /tasks', tokens.ben)).body)
  assert.notDeepEqual(anaSees.data, benSees.data)
  ok(`${mode}: each user sees their own tasks, the same as over REST`)

  const { id } = Task.parse((await call(asAna, 'task_create', { title: 'Made over MCP' })).data)
  assert.equal((await rest(`GET /tasks/${id}`, tokens.ana)).body.title, 'Made over MCP')
  await rest(`PATCH /tasks/${id}`, tokens.ana, { title: 'Changed over REST' })
  const newest = TaskList.parse((await call(asAna, 'task_list', { limit: 1 })).data)
  assert.equal(newest.tasks[0]?.title, 'Changed over REST')
  await call(asAna, 'task_update', { id, status: 'done' })
  assert.equal((await rest(`GET /tasks/${id}`, tokens.ana)).body.status, 'done')
  ok(`${mode}: what MCP does shows over REST, and the other way round`)

  const uri = `task://${id}`
  const { resources } = await asAna.listResources()
  assert.ok(resources.some((resource) => resource.uri === uri))
  assert.ok((await read(asAna, uri)).startsWith('# Changed over REST\n'))
  assert.deepEqual(JSON.parse(await read(asBen, 'user://me')).name, 'ben')
  ok(`${mode}: resources are listed and read`)

  const refused = await call(asBen, 'task_update', { id, title: 'Mine now' })
  assert.ok(refused.isError && refused.text === 'No such task', refused.text)
  await assert.rejects(read(asBen, uri), /not found/)
  ok(`${mode}: another user's task does not exist`)

  const wrong = await call(asAna, 'task_create', { title: 7 })
  assert.ok(wrong.isError && wrong.text.includes('title'), wrong.text)
  ok(`${mode}: a bad argument is an error that names it`)

  const prompt = await asAna.getPrompt({ name: 'summarise', arguments: { id: String(id) } })
  assert.ok(JSON.stringify(prompt.messages).includes('Changed over REST'))
  for (const ref of [
    { type: 'ref/prompt', name: 'summarise' },
    { type: 'ref/resource', uri: 'task://{id}' },
  ] as const) {
    const { completion } = await asAna.complete({ ref, argument: { name: 'id', value: String(id) } })
    assert.ok(completion.values.includes(String(id)))
  }
  ok(`${mode}: the prompt is filled in, ids are completed`)

  await call(asAna, 'task_delete', { id })
  assert.equal((await rest(`GET /tasks/${id}`, tokens.ana)).status, 404)
  ok(`${mode}: what MCP deletes is gone`)
  await Promise.all([asAna.close(), asBen.close()])
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
