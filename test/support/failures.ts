/** What clients see of failures. */
import type { RouterOptions } from 'mcp-router'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { connect, modern, type WireError } from '../wire/client.js'
import { routers } from './routers.js'

interface ToolAnswer {
  result: { content: { text: string }[] }
  error: WireError
}

/** Makes the clients of one test file, in production, with the log of their routers. */
export function failures() {
  const { log, make } = routers()
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))
  afterEach(() => void vi.unstubAllEnvs())

  /** A client of a router whose tool, resource and prompt have this handler. */
  const handledBy = (handler: () => unknown, options: RouterOptions = {}, version: string = modern) => {
    const router = make(options)
    const client = connect(router, version)
    router.tool('t', { description: 'd', handler: handler as () => string })
    router.resource('r://x', { handler: handler as () => string })
    router.prompt('p', { description: 'd', handler: handler as () => string })
    return {
      tool: () => client.request('tools/call', { name: 't' }) as Promise<unknown> as Promise<ToolAnswer>,
      resource: () => client.error('resources/read', { uri: 'r://x' }),
      prompt: () => client.error('prompts/get', { name: 'p' }),
    }
  }
  /** A client of a router whose tool, resource and prompt all throw `thrown`. */
  const failing = (thrown: unknown, options: RouterOptions = {}, version: string = modern) => {
    const handler = (): never => {
      throw thrown
    }
    return handledBy(handler, options, version)
  }
  return { log, make, handledBy, failing }
}

/** The answer to a tool call whose failure the model may read. */
export const isError = (text: unknown) => ({ result: { isError: true, content: [{ type: 'text', text }] } })

export const masked: unknown = expect.stringMatching(/^Internal error\. Reference: [\w-]{8,}$/)
