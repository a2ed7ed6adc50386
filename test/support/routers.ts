/** Routers for tests, with their log at hand. */
import { type Handle, McpRouter, type RouterOptions } from 'mcp-router'
import { beforeEach } from 'vitest'
import { z } from 'zod'
import { connect, recorder } from '../wire/client.js'

/** Makes the routers of one test file. They share a log, which is empty again before each test. */
export function routers(defaults: RouterOptions = {}) {
  const log = recorder()
  beforeEach(() => {
    log.entries.length = 0
  })
  const make = (options: RouterOptions = {}): McpRouter =>
    new McpRouter({ logger: log.logger, ...defaults, ...options })
  return { log, make }
}

/** Adds a tool that answers with its name. */
export function addTool(router: McpRouter, name: string): Handle {
  return router.tool(name, { description: 'd', handler: () => name })
}

/** Adds one of each kind, so that everything is advertised. */
export function addOneOfEach(router: McpRouter): McpRouter {
  router.tool('t', { description: 'd', handler: () => 'x' })
  router.resource('a://b', { text: '' })
  router.prompt('p', {
    description: 'd',
    input: z.object({ a: z.string() }),
    complete: { a: () => [] },
    handler: () => '',
  })
  return router
}

/** The names of the tools that a client is told of. */
export async function toolNames(router: McpRouter): Promise<string[]> {
  const { tools } = await connect(router).result('tools/list')
  return tools.map(({ name }: { name: string }) => name)
}
