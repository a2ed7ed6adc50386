/** A person tries what there is: fields, resources, questions, progress, failures. */

import { expect, it } from 'vitest'
import { demo } from './fixtures.js'
import { choose, type Open } from './page.js'

export function trying(open: Open): void {
  it('tries a tool, and says by the field what does not fit', async () => {
    const { page, complaints, picture } = await open(demo())
    await choose(page, 'task_add')
    await page.getByLabel('title').fill('ab')
    await page.getByRole('button', { name: 'Call' }).click()
    await page.getByText(/too short/).waitFor()
    await picture('what does not fit')
    await page.getByLabel('title').fill('Write it down')
    await page.getByRole('button', { name: 'Call' }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await result.getByText('Done').waitFor()
    await result.getByRole('button', { name: 'Text' }).click()
    expect(JSON.parse((await result.locator('pre').textContent()) ?? '')).toEqual({
      title: 'Write it down',
      kind: 'chore',
    })
    expect(complaints).toEqual([])
  })

  it('reads resources, templates with completion, and prompts', async () => {
    const { page, complaints } = await open(demo())
    await choose(page, 'config://app')
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await page.getByText('"dark"').waitFor()
    await choose(page, 'note://{id}')
    await page.getByRole('combobox', { name: 'id' }).fill('a')
    await expect
      .poll(() =>
        page
          .locator('datalist option')
          .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
      )
      .toEqual(['alpha'])
    await page.getByRole('combobox', { name: 'id' }).fill('alpha')
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await page.getByRole('heading', { name: 'Note alpha' }).waitFor()
    await choose(page, 'summarise')
    await page.getByRole('combobox', { name: 'id' }).fill('7')
    await page.getByRole('button', { name: 'Get' }).click()
    await page.getByText('Summarise 7.').waitFor()
    expect(complaints).toEqual([])
  })

  it.each(['2026-07-28', '2025-11-25'])('answers a question, as clients of %s do', async (version) => {
    const { page, picture } = await open(demo())
    await page.getByLabel('Protocol').selectOption({ label: version })
    await page.getByText(`speaks ${version}`).waitFor()
    await choose(page, 'greet')
    await page.getByRole('button', { name: 'Call' }).click()
    const dialog = page.getByRole('dialog', { name: 'The server asks' })
    await dialog.getByText('Who are you?').waitFor()
    await dialog.getByLabel('name').fill('Ada')
    await picture('question')
    await dialog.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('Hello Ada').waitFor()
    await page.getByRole('button', { name: 'Call' }).click()
    await dialog.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('You chose to decline').waitFor()
  })

  it.each(['2026-07-28', '2025-11-25'])(
    'shows progress and log lines, and cancels, as clients of %s do',
    async (version) => {
      const { running, ...rest } = demo()
      const { page, picture } = await open(rest)
      await page.getByLabel('Protocol').selectOption({ label: version })
      await page.getByText(`speaks ${version}`).waitFor()
      await choose(page, 'wait')
      await page.getByRole('button', { name: 'Call' }).click()
      await page.getByText('3 of 10 third of ten').waitFor()
      await page.getByText('it takes long').waitFor()
      const signal = await running.opened
      await picture('progress')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText(/^Cancelled/).waitFor()
      await expect.poll(() => signal.aborted).toBe(true)
    },
  )

  it('shows failures as the model sees them, beside what travelled', async () => {
    const { page } = await open(demo())
    await choose(page, 'task_drop')
    await page.getByRole('button', { name: 'Call' }).click()
    await page.getByRole('alert').getByText('There is nothing to drop').waitFor()
    await page.getByRole('button', { name: 'Raw request and answer' }).click()
    await page.getByText('mcp-name: task_drop').waitFor()
    await page.getByText('"isError": true').waitFor()
  })
}
