/** A person signs in at an authorization server, and comes back to the page, on any host. */

import type { Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Host } from '../../contract/host.js'
import { authorizationServer, letIn } from './authorization-server.js'
import { demo } from './fixtures.js'
import { choose, explorerOn, hasChromium, type Open, press } from './page.js'
import { barriersIn } from './readable.js'

export function oauthSuite(name: string, host: Host): void {
  describe.skipIf(!hasChromium)(`signing in on ${name}`, { timeout: 60_000 }, () => {
    signingInElsewhere(explorerOn(host), host)
  })
}

function signingInElsewhere(open: Open, host: Host): void {
  /** `sent`: what the page has asked for. */
  const begin = async () => {
    const login = await authorizationServer()
    const opened = await open({ ...demo(), host: login.inFrontOf(host), options: { auth: login.auth } })
    const sent: Request[] = []
    opened.page.on('request', (request) => sent.push(request))
    return { ...opened, login, sent }
  }

  it('goes where the server says and comes back with a token, which is nowhere to be seen', async () => {
    const { login, page, origin, picture, sent } = await begin()
    await page.getByText('The server wants to know who you are').waitFor()
    await picture('before')
    expect(await barriersIn(page)).toEqual([])
    await press(page, `Sign in at ${new URL(login.issuer).host}`)
    await page.getByLabel('Password').waitFor()
    const asked = new URL(page.url())
    await letIn(page)
    await page.getByText(`Signed in at ${new URL(login.issuer).host}`).waitFor()
    await choose(page, 'task_list')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()

    const [away] = sent.filter((request) => request.url().startsWith(`${login.issuer}/auth?`))
    const question = new URL(away?.url() ?? '').searchParams
    expect(Object.fromEntries(question)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: `${origin}/mcp`,
      redirect_uri: `${origin}/mcp`,
      scope: 'tasks:read offline_access',
    })
    const form = new URLSearchParams(sent.find(isForToken)?.postData() ?? '')
    expect(form.get('resource')).toBe(`${origin}/mcp`)
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    expect(asked.origin).toBe(login.issuer)

    // Neither in the address, nor in the history, nor in what is kept; and tokens travel in headers alone.
    expect(page.url()).toMatch(/\/mcp(#tool%20task_list)?$/)
    await page.goBack()
    expect(page.url()).not.toContain('code=')
    expect(await page.evaluate('Object.values({ ...sessionStorage, ...localStorage })')).toEqual([])
    const [, token = ''] =
      sent
        .map((request) => /^Bearer (.+)$/.exec(request.headers().authorization ?? ''))
        .find((found) => found !== null) ?? []
    expect(token.length).toBeGreaterThan(100)
    expect(sent.filter((request) => request.url().includes(token))).toEqual([])
  })

  it('takes no answer that it did not ask for', async () => {
    const { login, page, origin, picture, sent } = await begin()
    await page.goto(`${origin}/mcp?code=stolen&state=guessed&iss=${encodeURIComponent(login.issuer)}`)
    await page.getByText('that this page did not start').waitFor()
    expect(page.url()).toBe(`${origin}/mcp`)

    // Somebody puts an answer of their own in the place of the one that was asked for.
    const changes: readonly [RegExp, (answer: URLSearchParams) => void][] = [
      [/that this page did not start/, (answer) => answer.set('state', 'guessed')],
      [/that this page did not start/, (answer) => answer.delete('state')],
      [/got one of https:..evil.example/, (answer) => answer.set('iss', 'https://evil.example')],
      [/got one of an unnamed issuer/, (answer) => answer.delete('iss')],
    ]
    for (const [said, change] of changes) {
      login.way.back = change
      await press(page, `Sign in at ${new URL(login.issuer).host}`)
      await letIn(page)
      await page.getByText(said).waitFor()
    }
    await picture('nobody')
    expect(sent.filter(isForToken)).toEqual([])
    expect(page.url()).toBe(`${origin}/mcp`)
  })
}

export function isForToken(request: Request): boolean {
  return request.method() === 'POST' && new URL(request.url()).pathname === '/token'
}
