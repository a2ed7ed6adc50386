/** Nothing that a server says runs in the explorer, or is sent anywhere. */

import { expect, it } from 'vitest'
import { hostile, notBase64, placeholder } from './injections.js'
import { choose, type Open, press } from './page.js'

export function hostileServer(open: Open): void {
  it('shows what a server says as data, wherever it is shown', async () => {
    const { page, origin, complaints } = await open({ router: hostile() })
    await page.route(`${origin}/mcp`, async (route) => {
      if (route.request().postDataJSON()?.params?.name !== 'everything') return route.continue()
      const response = await route.fetch()
      const text = JSON.stringify(notBase64).slice(1, -1)
      const body = (await response.text()).replace(placeholder, text)
      expect(body).toContain(text)
      return route.fulfill({ response, body })
    })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(origin) && !url.startsWith('data:')) elsewhere.push(url)
    })
    /** Also in every view that a text has. */
    const look = async (): Promise<void> => {
      for (const view of ['Markdown', 'JSON', 'Table', 'Text', 'Markdown']) {
        await page.evaluate(pressAll('[aria-label="Result"] button', view))
        expect(await page.evaluate(hostileNodes)).toEqual([])
      }
      await page.evaluate(pressAll('.item > details > summary'))
      expect(await page.evaluate('[window.taken, ({}).taken, document.title.length > 0]')).toEqual([
        undefined,
        undefined,
        true,
      ])
      expect(await page.evaluate(hostileNodes)).toEqual([])
    }
    const status = page.getByRole('region', { name: 'Result' }).locator('output.status')
    await choose(page, 'everything')
    await press(page, 'JSON')
    await press(page, 'Call')
    await status.getByText('Done').waitFor()
    await press(page, 'Raw request and answer')
    await look()
    await choose(page, 'refuses')
    await press(page, 'Call')
    await status.getByText('Failed').waitFor()
    await look()
    await choose(page, 'a://page')
    await press(page, 'Read')
    await status.getByText('Done').waitFor()
    await look()
    await choose(page, 'says')
    await press(page, 'Get')
    await status.getByText('Done').waitFor()
    await look()
    for (const asking of ['asks', 'samples']) {
      await choose(page, asking)
      await press(page, 'Call')
      await page.getByRole('dialog').waitFor()
      await page.evaluate(pressAll('dialog summary'))
      expect(await page.evaluate(hostileNodes)).toEqual([])
      await press(page, 'Decline')
    }
    await press(page, 'Activity')
    await page.getByRole('region', { name: 'Calls' }).waitFor()
    expect(await page.evaluate(hostileNodes)).toEqual([])
    await press(page, 'Connect')
    expect(await page.evaluate(hostileNodes)).toEqual([])
    expect(elsewhere).toEqual([])
    // Not even tried: the policy of the page would complain.
    expect(complaints).toEqual([])
  })
}

/** Elements that the page itself never has: scripts but its own, handlers, styles, frames, forms that go elsewhere, links that run. */
const hostileNodes = `[...document.querySelectorAll('*')]
  .filter((node) =>
    (node.localName === 'script' && !node.src.endsWith('/explorer/app.js')) ||
    ['iframe', 'object', 'embed', 'base', 'style', 'meta'].includes(node.localName) && !document.head.contains(node) ||
    [...node.attributes].some(({ name, value }) =>
      name.startsWith('on') || name === 'style' || /^\\s*(javascript|data:text)/i.test(value)) && !['code', 'option', 'select', 'input', 'label'].includes(node.localName))
  .map((node) => node.outerHTML.slice(0, 200))`

/** All at once: hundreds of clicks take their time. */
const pressAll = (selector: string, text = ''): string =>
  `for (const node of document.querySelectorAll('${selector}')) if (['', node.textContent].includes('${text}')) node.click()`
