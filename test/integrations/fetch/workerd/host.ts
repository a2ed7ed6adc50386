/** Runs the contract against apps in another process. Tests that can't run across processes are skipped. */

import { expect, onTestFinished, TestRunner } from 'vitest'
import { send } from '../../../contract/client.js'
import type { Latch } from '../../../contract/fixtures.js'
import type { Host, Served, Skip, Wanted } from '../../../contract/host.js'

/** `origins`: the servers on which apps can be started, in turn. */
export function remoteHost(origins: () => readonly string[], skips: readonly Skip[]): Host {
  let started = 0
  return {
    parsers: [],
    compresses: false,
    trustsProxies: false,
    readsWholeUrls: true,
    skips,
    start: () => skip('its app needs objects of this process'),
    async serve(wanted: Wanted): Promise<Served> {
      if (!isData(wanted)) skip('its app needs functions or objects of this process')
      const all = origins()
      const origin = all[started++ % all.length] as string
      const { status, text } = await send(`${origin}/control/start`, { body: wanted })
      if (status !== 200) throw new Error(text)
      onTestFinished(async () => expect(await ask(origin, 'errors')).toEqual([]))
      return new RemoteApp(origin)
    },
  }
}

/** The state that an app reports. */
export async function ask(origin: string, what: string): Promise<never> {
  return (await send(`${origin}/control/${what}`, { method: 'GET' })).json as never
}

class RemoteApp implements Served {
  readonly origin: string
  readonly url: string
  readonly errors: unknown[] = []
  readonly running: Latch<AbortSignal>
  readonly release: Latch<void>
  readonly aborted: Latch<unknown>

  constructor(origin: string) {
    this.origin = origin
    this.url = `${origin}/mcp`
    this.running = latchOf(async () => {
      await ask(origin, 'running')
      const controller = new AbortController()
      void ask(origin, 'aborted').then(
        (reason) => controller.abort(reason),
        () => {},
      )
      return controller.signal
    })
    this.release = { opened: new Promise(() => {}), open: () => void ask(origin, 'release') }
    this.aborted = latchOf(() => ask(origin, 'aborted'))
  }

  get router(): never {
    return skip('it needs the router in this process')
  }
}

function latchOf<T>(opened: () => Promise<T>): Latch<T> {
  return {
    get opened() {
      return opened()
    },
    open: () => skip('the app opens it'),
  }
}

/** Whether an option can be sent to another process. */
function isData(value: unknown): boolean {
  if (value === undefined || typeof value === 'function') return false
  if (typeof value !== 'object' || value === null) return true
  const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return plain && Object.values(value).every(isData)
}

function skip(reason: string): never {
  return TestRunner.getCurrentTest()?.context.skip(reason) as never
}
