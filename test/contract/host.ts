/** What a framework must bring to run the contract, and what every test starts from. */

import type { RouterOptions } from 'mcp-router'
import { type AnyMountOptions, McpRouter } from 'mcp-router/adapter'
import { expect, onTestFinished, TestRunner } from 'vitest'
import type { Headers } from './client.js'
import { addFixtures, type Fixtures } from './fixtures.js'

/** The app around the mount, in words that every framework can translate. */
export interface Setup {
  router: McpRouter<object>
  /** Mount options. */
  options: AnyMountOptions
  /** The login of the app: finds the user, and puts it where logins of this framework put it. */
  login?: ((headers: Headers) => unknown) | undefined
  /** What the app does to bodies before the mount; those that `host.parsers` names. `pause`: nothing, but slowly. */
  parsers?: readonly Parser[] | undefined
  /** Headers that earlier middleware puts on every answer. */
  headers?: Record<string, string> | undefined
  trustProxy?: boolean | undefined
  compress?: boolean | undefined
}

export type Parser = 'json' | 'raw' | 'text' | 'urlencoded' | 'drained' | 'pause'

export interface Started {
  /** Where the app is reached: `http://127.0.0.1:1234`. */
  readonly origin: string
  /** What reached the app's own error handling. */
  readonly errors: unknown[]
  /** Ends the app as its owner does, who waits for what runs. */
  stop?(): Promise<unknown>
  /** Ends it, whatever runs. */
  close(): Promise<void>
}

export type Skip = readonly [name: RegExp, reason: string]

/** An app with the mount at its root, and a route of its own: `GET /own` answers `{"own":true}`. */
export interface Host {
  readonly parsers: readonly Parser[]
  /** False where the framework has no such thing. */
  readonly compresses: boolean
  readonly trustsProxies: boolean
  /** True where apps are given every request with a whole URL, so that no check of theirs can miss one. */
  readonly readsWholeUrls?: boolean
  /** Tests that cannot be passed here, by name, with the reason. */
  readonly skips?: readonly Skip[]
  start(setup: Setup): Promise<Started>
  /** In the place of `start`, for apps in another process. */
  serve?(wanted: Wanted): Promise<Served>
}

export interface Served extends Fixtures {
  /** The endpoint. */
  readonly url: string
  readonly origin: string
  readonly router: McpRouter<object>
  readonly errors: unknown[]
  readonly stop?: Started['stop'] | undefined
}

export type Wanted = Partial<Omit<Setup, 'options' | 'router'>> & {
  options?: AnyMountOptions
  server?: RouterOptions
}

const nothing = (): void => {}
export const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Starts an app with the fixture tools; it is closed with the test, and must not have seen an error by then. */
export async function serve(host: Host, wanted: Wanted = {}): Promise<Served> {
  skipWhatCannotBe(host)
  if (host.serve !== undefined) return host.serve(wanted)
  const { options = {}, server = {}, ...app } = wanted
  const router = new McpRouter<object>({ name: 'contract', version: '1.2.3', logger: quiet, ...server })
  const fixtures = addFixtures(router)
  const { origin, errors, stop, close } = await host.start({ router, options, ...app })
  onTestFinished(async () => {
    await close()
    expect(errors).toEqual([])
  })
  return { ...fixtures, url: `${origin}/mcp`, origin, router, errors, stop }
}

function skipWhatCannotBe({ skips = [] }: Host): void {
  const test = TestRunner.getCurrentTest()
  for (const [name, reason] of skips)
    if (test !== undefined && name.test(test.name)) test.context.skip(reason)
}
