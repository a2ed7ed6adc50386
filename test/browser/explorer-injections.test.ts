/** Nothing that a server says runs in the explorer, or is sent anywhere. */

import { describe, expect, it } from 'vitest'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { hostile } from './explorer/injections.js'
import { choose, explorerOn, hasChromium } from './explorer/page.js'

describe.skipIf(!hasChromium)('what a server says', { timeout: 60_000 }, () => {
  const open = explorerOn(nodeHost(overHttp))

  it('is data, wherever it is shown', async () => {
    const { page, origin, complaints } = await open({ router: hostile() })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(origin) && !url.startsWith('data:')) elsewhere.push(url)
    })
    /** Also in every view that a text has. */
    const look = async (): Promise<void> => {
      for (const view of ['Markdown', 'JSON', 'Table', 'Text', 'Markdown']) {
        const buttons = page
          .getByRole('region', { name: 'Result' })
          .getByRole('button', { name: view, exact: true })
        for (const button of await buttons.all()) await button.click()
      }
      for (const summary of await page.locator('.item > details > summary').all()) await summary.click()
      expect(await page.evaluate('[window.taken, ({}).taken, document.title.length > 0]')).toEqual([
        undefined,
        undefined,
        true,
      ])
      expect(await page.evaluate(hostileNodes)).toEqual([])
    }
    const status = page.getByRole('region', { name: 'Result' }).locator('output.status')
    await choose(page, 'everything')
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await status.getByText('Done').waitFor()
    await page.getByRole('button', { name: 'Raw request and answer' }).click()
    await look()
    await choose(page, 'refuses')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await status.getByText('Failed').waitFor()
    await look()
    await choose(page, 'a://page')
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await status.getByText('Done').waitFor()
    await look()
    await choose(page, 'says')
    await page.getByRole('button', { name: 'Get', exact: true }).click()
    await status.getByText('Done').waitFor()
    await look()
    await choose(page, 'asks')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate(hostileNodes)).toEqual([])
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByRole('button', { name: 'Activity', exact: true }).click()
    await page.getByRole('region', { name: 'Calls' }).waitFor()
    expect(await page.evaluate(hostileNodes)).toEqual([])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    expect(await page.evaluate(hostileNodes)).toEqual([])
    expect(elsewhere).toEqual([])
    // Not even tried: the policy of the page would complain.
    expect(complaints).toEqual([])
  })
})

/** Elements that the page itself never has: scripts but its own, handlers, styles, frames, forms that go elsewhere, links that run. */
const hostileNodes = `[...document.querySelectorAll('*')]
  .filter((node) =>
    (node.localName === 'script' && !node.src.endsWith('/explorer/app.js')) ||
    ['iframe', 'object', 'embed', 'base', 'style', 'meta'].includes(node.localName) && !document.head.contains(node) ||
    [...node.attributes].some(({ name, value }) =>
      name.startsWith('on') || name === 'style' || /^\\s*(javascript|data:text)/i.test(value)) && !['code', 'option', 'select', 'input', 'label'].includes(node.localName))
  .map((node) => node.outerHTML.slice(0, 200))`
