/** Starts the server and checks it from outside: as both users, over both transports, in both eras of the protocol. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { keys, start } from './server.js'
import { SocketTransport } from './socket-transport.js'

const { url, socketUrl, close } = await start(0)
const headersOf = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` })

async function connect(mode: 'auto' | 'legacy', key: string): Promise<Client> {
  const client = new Client({ name: 'board-check', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(new SocketTransport(socketUrl, headersOf(key)))
  return client
}

async function post(client: Client, text: string): Promise<string> {
  const { content } = await client.callTool({ name: 'message_post', arguments: { text } })
  const [block] = content
  return block?.type === 'text' ? block.text : ''
}

try {
  assert.match(await (await fetch(new URL('/', url))).text(), /board/)
  await assert.rejects(connect('auto', 'guessed'), /401/)
  ok('the app is served as before, and a wrong key is refused at the upgrade')

  const overHttp = new Client({ name: 'board-check', version: '1.0.0' })
  await overHttp.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headersOf(keys.ben) } }),
  )
  let posted = 0
  for (const mode of ['auto', 'legacy'] as const) {
    const ana = await connect(mode, keys.ana)
    assert.equal(await post(ana, `by ${mode}`), `There are ${++posted} now.`)
    assert.equal(await post(overHttp, 'by HTTP'), `There are ${++posted} now.`)
    const { contents } = await ana.readResource({ uri: 'board://messages' })
    const [content] = contents
    assert.match(
      content && 'text' in content ? content.text : '',
      new RegExp(`Ana: by ${mode}\nBen: by HTTP$`),
    )
    ok(`${mode}: one board, over WebSocket and over HTTP, as two users`)
    await ana.close()
  }
  await overHttp.close()

  const told = await connect('legacy', keys.ana)
  const updated = new Promise((resolve) => {
    told.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
  })
  await told.subscribeResource({ uri: 'board://messages' })
  const ben = await connect('legacy', keys.ben)
  await post(ben, 'hello')
  assert.equal(await updated, 'board://messages')
  ok('who subscribed hears of it on the same connection')
  await Promise.all([told.close(), ben.close()])
} catch (error) {
  console.error('FAILED', error)
  process.exitCode = 1
} finally {
  await close()
}

function ok(what: string): void {
  console.log(`OK ${what}`)
}
