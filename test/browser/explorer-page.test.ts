/** What the explorer's page is like, whatever the host: safe, readable by everybody, quick. */

import express from 'express'
import { appTool, McpRouter } from 'mcp-router'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quiet } from '../contract/host.js'
import { expressHost } from '../integrations/express/host.js'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'
import { readable } from './explorer/readable.js'

describe.skipIf(!hasChromium)('the page', { timeout: 60_000 }, () => {
  const open = explorerOn(nodeHost(overHttp))

  readable(open, [
    ['dark', 1200],
    ['light', 380],
  ])

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
    await press(page, 'Call')
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

  it('is painted within a second', async () => {
    const { page } = await open(demo())
    const painted: number[] = []
    // A busy machine may take its time, once.
    while (painted.length < 5 && (painted.at(-1) ?? 1_000) >= 1_000) {
      if (painted.length > 0) await page.reload()
      await page.getByRole('heading', { name: 'demo' }).waitFor()
      painted.push(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    }
    console.info(`first contentful paint after ${Math.round(painted.at(-1) ?? 0)} ms`)
    expect(painted.at(-1)).toBeLessThan(1_000)
  })

  it('shows the page of an app, in a frame that reaches nothing', async () => {
    const router = new McpRouter<object>({ name: 'apps', version: '1.0.0', logger: quiet })
    router.add(
      appTool('board', {
        description: 'Shows a board.',
        annotations: { readOnly: true },
        input: z.object({ title: z.string() }),
        page: { html: boardPage },
        handler: ({ title }) => `Board ${title}`,
      }),
    )
    const { page } = await open({ router })
    await choose(page, 'board')
    await page.getByLabel('title').fill('Plans')
    await press(page, 'Call')
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
