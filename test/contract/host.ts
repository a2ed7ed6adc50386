/** What a framework must bring to run the contract, and what every test starts from. */

import type { RouterOptions } from 'mcp-router'
import { type AnyMountOptions, McpRouter } from 'mcp-router/adapter'
import { expect, onTestFinished } from 'vitest'
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
  close(): Promise<void>
}

/** An app with the mount at its root, and a route of its own: `GET /own` answers `{"own":true}`. */
export interface Host {
  readonly parsers: readonly Parser[]
  /** False where the framework has no such thing. */
  readonly compresses: boolean
  readonly trustsProxies: boolean
  start(setup: Setup): Promise<Started>
}

export interface Served extends Fixtures {
  /** The endpoint. */
  readonly url: string
  readonly origin: string
  readonly router: McpRouter<object>
  readonly errors: unknown[]
}

type Wanted = Partial<Omit<Setup, 'options' | 'router'>> & {
  options?: AnyMountOptions
  server?: RouterOptions
}

const nothing = (): void => {}
export const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Starts an app with the fixture tools; it is closed with the test, and must not have seen an error by then. */
export async function serve(host: Host, { options = {}, server = {}, ...app }: Wanted = {}): Promise<Served> {
  const router = new McpRouter<object>({ name: 'contract', version: '1.2.3', logger: quiet, ...server })
  const fixtures = addFixtures(router)
  const { origin, errors, close } = await host.start({ router, options, ...app })
  onTestFinished(async () => {
    await close()
    expect(errors).toEqual([])
  })
  return { ...fixtures, url: `${origin}/mcp`, origin, router, errors }
}
