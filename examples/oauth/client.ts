/** Starts both servers and logs in with both official clients, through the whole flow: from discovery to consent. */

import assert from 'node:assert/strict'
import { ClientState, clientMetadata, clientMetadataUrl, redirectUrl } from './client-state.js'
import { connect, makers, type Session } from './clients.js'
import { type Answers, as, logIn } from './person.js'
import { start } from './start.js'
import { ana, ben, eve } from './users.js'

/** Serves the client's metadata document, because its URL doesn't exist. */
const fetchDocument: typeof fetch = async (address, init) =>
  String(address) === clientMetadataUrl
    ? Response.json({ ...clientMetadata, client_id: clientMetadataUrl })
    : fetch(address, init)

const { mcpUrl, issuer, close } = await start(0, 0, fetchDocument)

function logInWith(version: 'v1' | 'v2', answers: Answers, state = new ClientState()): Promise<Session> {
  const make = () => makers[version](new URL(mcpUrl), state)
  return connect(make, state, (address) => logIn(address, redirectUrl, answers))
}

function post(token?: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
  return fetch(mcpUrl, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })
}

try {
  const challenge = (await post()).headers.get('WWW-Authenticate') ?? ''
  const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const metadata = (await (await fetch(metadataUrl)).json()) as Record<string, unknown>
  assert.equal(metadata.resource, mcpUrl)
  assert.deepEqual(metadata.authorization_servers, [issuer])
  ok('who has no token is told where to get one')

  for (const version of ['v1', 'v2'] as const) {
    const state = new ClientState()
    const asAna = await logInWith(version, as(ana), state)
    const { id: user, client, tenant, scopes } = await asAna.read('user://me')
    assert.deepEqual({ user, tenant, scopes }, { user: ana.id, tenant: 'acme', scopes: ['notes:read'] })
    assert.equal(client, state.clientInformation()?.client_id)
    assert.equal(asAna.logins(), 1)
    ok(`${version}: registers, logs in as a person of acme, and may read`)

    const text = `Written by ${version}`
    assert.match(await asAna.call('note_add', { text }), new RegExp(text))
    assert.equal(asAna.logins(), 2)
    assert.deepEqual((await asAna.read('user://me')).scopes, ['notes:read', 'notes:write'])
    ok(`${version}: asks the person again before it may write`)

    const asBen = await logInWith(version, as(ben), new ClientState({ clientMetadataUrl }))
    assert.match(await asBen.call('note_list'), new RegExp(text))
    assert.equal((await asBen.read('user://me')).client, clientMetadataUrl)
    ok(`${version}: a client that is known by its address needs no registration; ben of acme sees the note`)

    const asEve = await logInWith(version, as(eve))
    assert.deepEqual(JSON.parse(await asEve.call('note_list')), { notes: [] })
    ok(`${version}: eve of globex sees nothing of it`)

    await assert.rejects(logInWith(version, as(eve, 'deny')), /The user said no/)
    ok(`${version}: a person who says no stays out`)

    const token = state.tokens()?.access_token ?? ''
    assert.equal((await post(token)).status, 200)
    assert.equal((await post(token.slice(0, -20))).status, 401)
    for (const session of [asAna, asBen, asEve]) await session.close()
  }
  ok('a token that was changed is refused')
} finally {
  await close()
}

function ok(what: string): void {
  console.log(`ok ${what}`)
}
