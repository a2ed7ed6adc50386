/** Nobody is kept out: by what screen readers are told, by contrast, by a narrow screen. */

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { demo } from './fixtures.js'
import { choose, type Open, press } from './page.js'

type Screen = readonly [colorScheme: 'light' | 'dark', width: number]

export function readable(open: Open, screens: readonly Screen[]): void {
  it.each(screens)('hides nothing from screen readers, in %s and %i wide', async (colorScheme, width) => {
    const { page } = await open(demo())
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const complaints: unknown[] = []
    const check = async (): Promise<void> => void complaints.push(...(await barriersIn(page)))
    await choose(page, 'task_add')
    await page.getByLabel('title').fill('ab')
    await press(page, 'Call')
    await page.getByText(/too short/).waitFor()
    await check()
    await choose(page, 'task_list')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await press(page, 'Raw request and answer')
    await check()
    await press(page, 'Activity')
    await page.getByRole('region', { name: 'Calls' }).waitFor()
    await check()
    await press(page, 'Connect')
    await check()
    await press(page, 'Explore')
    await choose(page, 'greet')
    await press(page, 'Call')
    await page.getByRole('dialog').waitFor()
    await check()
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })
}

/** What axe finds, and where. */
export async function barriersIn(page: Page): Promise<unknown[]> {
  // No frame is looked at, which the other mode opens a page for, each time.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}
