/** What tools ask of their client besides questions to its user: here a person is the model, and names the roots. */

import { describe, expect, it } from 'vitest'
import { nodeHost, overHttp } from '../integrations/node/host.js'
import { demo } from './explorer/fixtures.js'
import { choose, explorerOn, hasChromium, press } from './explorer/page.js'
import { barriersIn } from './explorer/readable.js'

function asking() {
  const { router } = demo()
  router.tool('shorten', {
    description: 'Has a model shorten it.',
    async handler(_, ctx) {
      const { content, model } = await ctx.sample({
        systemPrompt: 'You are brief.',
        messages: [{ role: 'user', content: { type: 'text', text: 'Shorten <b>this</b>.' } }],
        maxTokens: 50,
      })
      return `${model} said ${JSON.stringify(content)}`
    },
  })
  router.tool('folders', {
    description: 'Looks where it may.',
    handler: async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' and '),
  })
  return { router }
}

describe.skipIf(!hasChromium)('a tool that asks', { timeout: 60_000 }, () => {
  const open = explorerOn(nodeHost(overHttp))

  it.each(['2026-07-28', '2025-11-25'])('for a model gets what a person writes, in %s', async (version) => {
    const { page, picture, complaints } = await open(asking())
    await page.getByLabel('Protocol').selectOption({ label: version })
    await page.getByText(`speaks ${version}`).waitFor()
    await choose(page, 'shorten')
    await press(page, 'Call')
    const dialog = page.getByRole('dialog', { name: 'The server asks' })
    await dialog.getByText('You are brief.').waitFor()
    await dialog.getByText('Shorten <b>this</b>.').waitFor()
    expect(await barriersIn(page)).toEqual([])
    await picture('you are the model')
    await dialog.getByLabel("The model's answer").fill('Shorter.')
    await dialog.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('a person with the explorer said {"type":"text","text":"Shorter."}').waitFor()
    expect(complaints).toEqual([])
  })

  it.each(['2026-07-28', '2025-11-25'])('for a model hears no, in %s', async (version) => {
    const { page } = await open(asking())
    await page.getByLabel('Protocol').selectOption({ label: version })
    await page.getByText(`speaks ${version}`).waitFor()
    await choose(page, 'shorten')
    const dialog = page.getByRole('dialog', { name: 'The server asks' })
    const result = page.getByRole('region', { name: 'Result' })
    await press(page, 'Call')
    await dialog.getByRole('button', { name: 'Decline' }).click()
    await result.getByRole('alert').getByText('The person declined to answer').first().waitFor()
    if (version === '2025-11-25') {
      await press(page, 'Raw request and answer')
      await page.getByText('"code": -1,').waitFor()
    }
    await press(page, 'Call')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await result.getByRole('alert').getByText('The person declined to answer').first().waitFor()
  })

  it.each(['2026-07-28', '2025-11-25'])(
    'for the roots is told them, where there are some, in %s',
    async (version) => {
      const { page } = await open(asking())
      await page.getByLabel('Protocol').selectOption({ label: version })
      await page.getByText(`speaks ${version}`).waitFor()
      await choose(page, 'folders')
      await press(page, 'Call')
      await page.getByRole('region', { name: 'Result' }).getByRole('alert').waitFor()
      await page.getByText('Roots', { exact: true }).click()
      const field = page.getByLabel('URIs of folders')
      await field.fill('/home/ana')
      await press(page, 'Use these')
      await page.getByText('Expected URIs such as file:///home/ana/project, got /home/ana').waitFor()
      await field.fill('file:///home/ana\nfile:///srv/a%20b\n')
      await press(page, 'Use these')
      await page.getByText('Roots: 2').waitFor()
      await expect
        .poll(async () => {
          await press(page, 'Call')
          return page.getByText('file:///home/ana and file:///srv/a%20b').isVisible()
        })
        .toBe(true)
      expect(await barriersIn(page)).toEqual([])
    },
  )
})
