/** Logs in with a real browser: fills in the pages of the authorization server in Chromium. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { ClientState } from './client-state.js'
import { connect, makers } from './clients.js'
import { start } from './start.js'
import { ana } from './users.js'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** A client name with markup, which the page must show as text. */
const clientName = 'Notes <b>& more</b><script>document.title="taken"</script>'

const { mcpUrl, issuer, close } = await start(0, 0)
const waiting = await listenForPerson()
const profile = await mkdtemp(join(tmpdir(), 'oauth-example-'))
const browser = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true })

try {
  for (const version of ['v1', 'v2'] as const) {
    await browser.clearCookies()
    const state = new ClientState({ redirectUrl: waiting.url, name: clientName })
    const make = () => makers[version](new URL(mcpUrl), state)
    const session = await connect(make, state, (address) => logIn(browser, address))
    assert.equal((await session.read('user://me')).id, ana.id)
    assert.match(await session.call('note_add', { text: 'from a browser' }), /from a browser/)
    // The browser still has the session, so the page only asks for the new scope.
    assert.equal(session.logins(), 2)
    await session.close()
    console.log(`ok ${version}: logged in with Chromium`)
  }
} finally {
  await browser.close()
  await rm(profile, { recursive: true, force: true })
  waiting.close()
  await close()
}

async function logIn(context: BrowserContext, address: URL): Promise<URL> {
  const back = waiting.next()
  const page = await context.newPage()
  await page.goto(address.href)
  if ((await page.getByRole('heading').textContent()) === 'Sign in') {
    await page.getByLabel('Name').fill(ana.name)
    await page.getByLabel('Password').fill('a guess')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong name or password').waitFor()
    await page.getByLabel('Name').fill(ana.name)
    await page.getByLabel('Password').fill(ana.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.getByRole('heading', { name: `Let ${clientName} in?` }).waitFor()
  assert.equal(new URL(page.url()).origin, issuer)
  assert.equal(await page.title(), 'Example login')
  assert.match((await page.getByRole('listitem').allTextContents()).join(), /notes:(read|write)/)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You may close this page').waitFor()
  await page.close()
  return back
}

/** Waits for the redirect on a local port, as a client on the user's machine does. */
async function listenForPerson() {
  let arrived: (url: URL) => void = () => {}
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', `http://${req.headers.host}`)
    if (url.pathname === '/callback') arrived(url)
    res.end('You may close this page')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // a server on a port has an AddressInfo
  const next = (): Promise<URL> =>
    new Promise((resolve) => {
      arrived = resolve
    })
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/callback`, next, close: stop }
}
