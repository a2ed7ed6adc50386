/** The router that the official suites and the client scripts are pointed at. The suites fix the names and quoted values. */
import { McpRouter } from 'mcp-router'
import { askingPrompts, askingTools } from './fixtures/asking.js'
import { contentTools } from './fixtures/content.js'
import { prompts } from './fixtures/prompts.js'
import { addResources } from './fixtures/resources.js'
import { schemaTools } from './fixtures/schemas.js'
import { taskTools } from './fixtures/tasks.js'
import { addTellingTools } from './fixtures/telling.js'

export function conformanceRouter(): McpRouter {
  const router = new McpRouter({
    name: 'mcp-router-conformance',
    version: '1.0.0',
    secret: 'a-secret-for-conformance-runs-only',
  })
  // The first tool listed is called with `{}`, so it must be one without required arguments.
  router.add(contentTools)
  router.add(schemaTools)
  router.add(askingTools)
  router.add(taskTools)
  router.add(prompts)
  router.add(askingPrompts)
  addResources(router)
  addTellingTools(router)
  return router
}
