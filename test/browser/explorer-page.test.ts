/** What the explorer's page is like, whatever the host: safe, readable by everybody, quick. */

import { AxeBuilder } from '@axe-core/playwright'
import express from 'express'
import { appTool, McpRouter, UnauthorizedError } from 'mcp-router'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quiet } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium } from './explorer/page.js'

describe.skipIf(!hasChromium)('the page', { timeout: 60_000 }, () => {
  const open = explorerOn(nodeHost(overHttp))
  const call = (page: Page) => page.getByRole('button', { name: 'Call', exact: true }).click()
  const show = (page: Page, view: string) => page.getByRole('button', { name: view, exact: true }).click()

  it('has the recent calls, calls one again, and has it as curl', async () => {
    const { page, complaints } = await open(demo())
    await choose(page, 'task_list')
    await call(page)
    await page.getByText(/^Done/).waitFor()
    await choose(page, 'task_drop')
    await call(page)
    await page.getByText('There is nothing to drop').waitFor()
    await show(page, 'Activity')
    const rows = page.getByRole('region', { name: 'Calls' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByText('50% failed').waitFor()
    await page.getByRole('button', { name: 'task_list as curl' }).click()
    await page
      .getByText("-H 'Mcp-Name: task_list'")
      .or(page.getByText(/Mcp-Name: task_list/))
      .waitFor()
    await page.getByLabel('Failed only').check()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByLabel('Failed only').uncheck()
    await page.getByRole('button', { name: 'Replay task_list' }).click()
    await page.getByRole('region', { name: 'Result' }).getByText(/^Done/).waitFor()
    await expect.poll(() => rows.count()).toBe(3)
    expect(complaints).toEqual([])
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Nothing was called yet.').waitFor()
  })

  it('signs in with a token', async () => {
    const auth = {
      authorizationServers: ['https://login.example.com'],
      verify: (token: string) => {
        if (token !== 'of-ana') throw new UnauthorizedError('The token is not ours')
        return { subject: 'ana', scopes: [], claims: {} }
      },
    }
    const { page } = await open({ ...demo(), options: { auth } })
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Access token').fill('Bearer of-ana')
    await page.getByRole('button', { name: 'Use it' }).click()
    await choose(page, 'task_list')
    await call(page)
    await page.getByText(/^Done/).waitFor()
    await page.getByRole('button', { name: 'Raw request and answer' }).click()
    await page.getByText(/^POST[\s\S]*authorization: Bearer …/).waitFor()
    await show(page, 'Activity')
    await page.getByRole('cell', { name: /^ana/ }).waitFor()
  })

  it.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 380],
  ] as const)('hides nothing from screen readers, in %s and %i wide', async (colorScheme, width) => {
    const { page } = await open(demo())
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const complaints: unknown[] = []
    const check = async (): Promise<void> => {
      const { violations } = await new AxeBuilder({ page }).analyze()
      complaints.push(...violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))
    }
    await choose(page, 'task_add')
    await page.getByLabel('title').fill('ab')
    await call(page)
    await page.getByText(/too short/).waitFor()
    await check()
    await choose(page, 'task_list')
    await call(page)
    await page.getByText(/^Done/).waitFor()
    await page.getByRole('button', { name: 'Raw request and answer' }).click()
    await check()
    await show(page, 'Activity')
    await page.getByRole('region', { name: 'Calls' }).waitFor()
    await check()
    await show(page, 'Connect')
    await check()
    await show(page, 'Explore')
    await choose(page, 'greet')
    await call(page)
    await page.getByRole('dialog').waitFor()
    await check()
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })

  it('is worked with the keyboard alone', async () => {
    const { page } = await open(demo())
    await page.getByRole('searchbox', { name: 'Search' }).focus()
    await page.keyboard.type('drop every')
    await expect.poll(() => page.getByRole('navigation').locator('li').count()).toBe(1)
    for (let index = 0; index < 8; index++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'task_drop' }).waitFor()
    const focused: unknown[] = []
    while (focused.at(-1) !== 'Call' && focused.length < 10) {
      await page.keyboard.press('Tab')
      focused.push(await page.evaluate('document.activeElement.textContent'))
    }
    expect(focused).toEqual(['Form', 'JSON', 'Call'])
    await page.keyboard.press('Enter')
    await page.getByText('There is nothing to drop').waitFor()
  })

  it('tells which tools are routes of the app', async () => {
    const { page } = await open({
      ...demo(),
      host: expressHost(express),
      options: { routes: { include: ['/own'] } },
    })
    await page.getByRole('button', { name: 'Routes', exact: true }).click()
    await page.getByText('1 of 10').waitFor()
    await choose(page, 'get_own')
    await page.getByRole('article').getByText('GET /own', { exact: true }).first().waitFor()
    await call(page)
    await page.getByText(/^Done/).waitFor()
  })

  it('shows 500 tools, and finds one of them', async () => {
    const router = new McpRouter<object>({ name: 'many', version: '1.0.0', logger: quiet })
    for (let index = 0; index < 500; index++)
      router.tool(`tool_${index}`, { description: `The tool ${index}`, handler: () => '' })
    const { page } = await open({ router })
    await page.getByText('500 of 500').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('tool_499')
    await page.getByText('1 of 500').waitFor()
  })

  it('is painted at once', async () => {
    const { page } = await open(demo())
    await page.getByRole('heading', { name: 'demo' }).waitFor()
    const painted = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    console.info(`first contentful paint after ${Math.round(painted as number)} ms`)
    expect(painted).toBeGreaterThan(0)
  })

  it('shows the page of an app, in a frame that reaches nothing', async () => {
    const router = new McpRouter<object>({ name: 'apps', version: '1.0.0', logger: quiet })
    router.add(
      appTool('board', {
        description: 'Shows a board.',
        input: z.object({ title: z.string() }),
        page: { html: boardPage },
        handler: ({ title }) => `Board ${title}`,
      }),
    )
    const { page } = await open({ router })
    await choose(page, 'board')
    await page.getByLabel('title').fill('Plans')
    await call(page)
    const app = page.frameLocator('iframe')
    await app.getByText('Given {"title":"Plans"}').waitFor()
    await app.getByText('Answered Board Plans').waitFor()
    await app.getByText('Called Board from the app').waitFor()
    await app.getByText('Kept out: SecurityError, TypeError').waitFor()
  })
})

/** An app that says what it is told, calls a tool, and tries to get out. */
const boardPage = `<!doctype html><html><body><p id="given"></p><p id="answered"></p><p id="called"></p><p id="out"></p><script>
const say = (id, text) => { document.getElementById(id).textContent = text }
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', ({ data }) => {
  if (data.id === 1) {
    post({ method: 'ui/notifications/initialized' })
    post({ id: 2, method: 'tools/call', params: { name: 'board', arguments: { title: 'from the app' } } })
  }
  if (data.id === 2) say('called', 'Called ' + data.result.content[0].text)
  if (data.method === 'ui/notifications/tool-input') say('given', 'Given ' + JSON.stringify(data.params.arguments))
  if (data.method === 'ui/notifications/tool-result') say('answered', 'Answered ' + data.params.content[0].text)
})
post({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'board', version: '1' }, appCapabilities: {} } })
const tried = async () => {
  const errors = []
  try { parent.document.title } catch (error) { errors.push(error.name) }
  await fetch(document.referrer || 'https://example.com/').catch((error) => errors.push(error.name))
  say('out', 'Kept out: ' + errors.join(', '))
}
void tried()
</script></body></html>`
