/** Routers that need no test around them. */
import type { McpRouter } from 'mcp-router'
import { z } from 'zod'

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
