/** Starts the cluster and checks from outside that requests to one machine take effect on all of them. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { legacySession } from './session.js'
import { start } from './start.js'

const cluster = await start(0)
const [a = '', b = '', c = ''] = cluster.machines

try {
  const client = new Client(
    { name: 'cluster-check', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(cluster.url)))
  const places = new Set<unknown>()
  for (let index = 0; index < 6; index++) places.add(await textOf(client, 'where'))
  assert.deepEqual([...places].sort(), ['A', 'B', 'C'])
  await client.close()
  ok('calls are served by all machines in turn, without sticky sessions')

  const session = await legacySession(cluster.url)
  const listening = await session.listen(b)
  await session.request('resources/subscribe', { uri: 'news://today' }, c)
  await session.request('tools/call', { name: 'publish', arguments: {} }, a)
  assert.equal((await listening.next()).method, 'notifications/resources/updated')
  ok('a notice of one machine reaches who listens on another')

  const asked = await session.open({ name: 'greet', arguments: {} }, a)
  const question = await asked.next()
  assert.equal(question.method, 'elicitation/create')
  await session.answer(question.id, { action: 'accept', content: { name: 'Ana' } }, b)
  assert.equal((await asked.next()).result.content[0].text, 'Hello Ana')
  ok('an answer reaches the handler that waits on another machine')

  const cancelled = await session.open({ name: 'count', arguments: { to: 100 } }, a, 7)
  await cancelled.next()
  await session.notify('notifications/cancelled', { requestId: 7, reason: 'enough' }, c)
  assert.equal(await cancelled.ends(), true)
  ok('a cancellation reaches the call on another machine')

  const broken = await session.open({ name: 'count', arguments: { to: 10 } }, a, 8)
  await broken.next()
  broken.leave()
  const resumed = await session.listen(b, broken.lastEventId)
  assert.equal((await resumed.answerTo(8)).result.content[0].text, 'counted to 10')
  ok('a stream that broke goes on at another machine, to its end')

  const { task } = (await session.request('tools/call', { name: 'report', arguments: {}, task: {} }, a))
    .result
  const { taskId } = task
  const said = async () => (await session.request('tasks/get', { taskId }, b)).result
  let state = await said()
  for (; state.status === 'working'; state = await said()) assert.equal(state.taskId, taskId)
  assert.match(state.statusMessage, /^part 10 by machine [BC]$/)
  ok('a task that one machine began is run by another, and a third one says how far it is')

  const waiting = await session.openTask(taskId, c)
  const about = await waiting.next()
  await session.answer(about.id, { action: 'accept', content: { name: 'Ana' } }, a)
  assert.match((await waiting.next()).result.content[0].text, /^a report for Ana by machine [BC]$/)
  ok('a worker asks, and gets the answer and passes its result on, whichever machine the client talks to')

  await session.end(a)
  for (const machine of [a, b, c]) assert.equal(await session.status(machine), 404)
  ok('a session that ended on one machine has ended on all of them')
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await cluster.stop()
}

async function textOf(client: Client, name: string): Promise<string | undefined> {
  const { content } = await client.callTool({ name, arguments: {} })
  const [block] = content
  return block?.type === 'text' ? block.text : undefined
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
