/** The tools that the contract calls, with the strings that tests pull. */

import type { McpRouter } from 'mcp-router'
import { z } from 'zod'

export interface Latch<T> {
  readonly opened: Promise<T>
  open(value: T): void
}

export function latch<T = void>(): Latch<T> {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

export interface Fixtures {
  /** Opens when a call of `wait` or `stream` runs, with its signal. */
  readonly running: Latch<AbortSignal>
  /** Lets `wait` and `stream` end. */
  readonly release: Latch<void>
  /** Opens when the signal of `wait` or `stream` aborts. */
  readonly aborted: Latch<unknown>
}

/** `wait` and `stream`, which end when `hold` does. */
export function addHeld(router: McpRouter<object>, hold: (signal: AbortSignal) => Promise<string>): void {
  router.tool('wait', { description: 'Ends when it is let', handler: (_, { signal }) => hold(signal) })
  router.tool('stream', {
    description: 'Reports, then ends when it is let',
    async handler(_, ctx) {
      ctx.progress(1, 2, 'half')
      const text = await hold(ctx.signal)
      ctx.progress(2, 2)
      return text
    },
  })
}

export function addFixtures(router: McpRouter<object>): Fixtures {
  const running = latch<AbortSignal>()
  const release = latch()
  const aborted = latch<unknown>()
  const hold = async (signal: AbortSignal): Promise<string> => {
    signal.addEventListener('abort', () => aborted.open(signal.reason))
    running.open(signal)
    await Promise.race([release.opened, aborted.opened])
    return 'released'
  }

  router.tool('echo', {
    description: 'Says it again',
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text,
  })
  router.tool('whoami', {
    description: 'What the handler knows of its caller',
    handler: (_, { user, sessionId, protocolVersion, client, request }) => ({
      user,
      sessionId,
      protocolVersion,
      client,
      url: request?.url,
      ip: request?.ip,
    }),
  })
  addHeld(router, hold)
  router.tool('log', {
    description: 'Logs at two levels',
    handler(_, { log }) {
      log.debug('quiet')
      log.warning('loud')
      return 'logged'
    },
  })
  router.tool('never', {
    description: 'Never answers',
    timeoutMs: 20,
    handler: () => new Promise<never>(() => {}),
  })
  router.tool('throws', {
    description: 'Has a bug',
    handler(): never {
      throw new Error('postgres://admin:hunter2@db')
    },
  })
  router.tool('private', {
    description: 'For signed-in callers',
    requireUser: true,
    handler: () => 'private',
  })
  router.tool('weather', {
    description: 'Mirrors its arguments',
    input: {
      type: 'object',
      properties: {
        city: { type: 'string', 'x-mcp-header': 'City' },
        days: { type: 'integer', 'x-mcp-header': 'Days' },
      },
    },
    handler: (input) => input,
  })
  router.resource('config://app', { mimeType: 'application/json', text: '{}' })
  router.prompt('hello', { description: 'Greets', handler: () => 'Hello' })
  return { running, release, aborted }
}
