/** A person says who they are. */

import { UnauthorizedError } from 'mcp-router'
import { it } from 'vitest'
import { demo } from './fixtures.js'
import { choose, type Open, press } from './page.js'

export function signingIn(open: Open): void {
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
    await press(page, 'Use it')
    await choose(page, 'task_list')
    await press(page, 'Call')
    await page.getByText(/^Done/).waitFor()
    await press(page, 'Raw request and answer')
    await page.getByText(/^POST[\s\S]*authorization: Bearer …/).waitFor()
    await press(page, 'Activity')
    await page.getByRole('cell', { name: /^ana/ }).waitFor()
  })
}
