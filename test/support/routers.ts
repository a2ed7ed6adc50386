/** Routers for tests, with their log at hand. */
import { type Handle, McpRouter, type RouterOptions } from 'mcp-router'
import { beforeEach } from 'vitest'
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

export { addOneOfEach } from './routers-plain.js'

/** The names of the tools that a client is told of. */
export async function toolNames(router: McpRouter): Promise<string[]> {
  const { tools } = await connect(router).result('tools/list')
  return tools.map(({ name }: { name: string }) => name)
}
