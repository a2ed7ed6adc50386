/** A person looks at what was called, and calls it again. */

import { expect, it } from 'vitest'
import { demo } from './fixtures.js'
import { choose, type Open, press } from './page.js'

export function recentCalls(open: Open): void {
  it('has the recent calls, calls one again, and has it as curl', async () => {
    const { page, complaints, picture } = await open(demo())
    await choose(page, 'task_list')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await choose(page, 'task_drop')
    await press(page, 'Call')
    await page.getByText('There is nothing to drop').waitFor()
    await press(page, 'Activity')
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
    await picture('calls')
    await press(page, 'Clear')
    await page.getByText('Nothing was called yet.').waitFor()
  })
}
