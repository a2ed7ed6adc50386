/** Chromium, opened once per file, and the explorer of a router that runs on a host. */

import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished, TestRunner } from 'vitest'
import { buildExplorer } from '../../../scripts/explorer.mjs'
import type { Host, Setup } from '../../contract/host.js'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
]
/** How the page looked: at the end of each test, and where a test says so. CI keeps it. */
const artefacts = new URL('../../../.cache/explorer/', import.meta.url).pathname

/** Whether tests of the page can run: in CI they must. */
export const hasChromium: boolean = process.env.CI === 'true' || existsSync(executablePath)

export interface Opened {
  readonly page: Page
  readonly context: BrowserContext
  /** Where the app is. */
  readonly origin: string
  /** What went wrong in the page: nothing may. */
  readonly complaints: string[]
  /** Keeps how it looks now. */
  picture(of: string): Promise<void>
}

export type Open = (
  setup: Pick<Setup, 'router'> & Partial<Setup> & { readonly path?: string; readonly host?: Host },
) => Promise<Opened>

/** For one file: builds the page and opens the browser before its tests. */
export function explorerOn(usual: Host): Open {
  let browser: Browser
  beforeAll(async () => {
    if (!hasChromium) return
    await buildExplorer()
    browser = await chromium.launch({ executablePath, args, headless: true })
  }, 60_000)
  afterAll(() => browser?.close())

  return async ({ path = '/mcp', host = usual, options = {}, ...setup }) => {
    const { origin, close } = await host.start({ options, ...setup })
    const context = await browser.newContext({
      viewport: { width: 1200, height: 900 },
      ignoreHTTPSErrors: true,
    })
    context.setDefaultTimeout(10_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()))
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog of a script: ${dialog.message()}`)
      void dialog.dismiss()
    })
    const picture = async (of: string): Promise<void> => {
      const test = TestRunner.getCurrentTest()
      const parts = [test?.suite?.name, test?.name, of].filter((part) => part !== undefined && part !== '')
      const file = parts.map((part) => part?.replace(/\W+/g, '-')).join('/')
      await page.screenshot({ path: `${artefacts}${file}.png`, fullPage: true })
    }
    onTestFinished(async () => {
      await picture('end')
      await context.close()
      await close()
    })
    await page.goto(origin + path)
    return { page, context, origin, complaints, picture }
  }
}

/** Chooses an item of the list. */
export async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name }).first().click()
  await page.getByRole('heading', { name, level: 2 }).waitFor()
}

/** Presses the button of this name. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}
