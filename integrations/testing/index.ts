/** `mcp-router/testing`: an MCP client in the same process, for tests of a router. */

import type {
  CallToolResult,
  GetPromptResult,
  McpRouter,
  OptionsArgument,
  ReadResourceResult,
  Register,
} from '../../src/internal.js'
import { TestClient } from './client.js'
import type { AnyTestClientOptions, TestClientOptions } from './options.js'

export type { CompletionRef, LogNotice, ServerInfo, TestClient } from './client.js'
export type { Progress, RequestOptions } from './connection.js'
export type { ListedPrompt, ListedResource, ListedTemplate, ListedTool } from './listed.js'
export type { ElicitAnswer, ElicitRequest, TestClientOptions } from './options.js'
export type { Subscribed, Subscription } from './subscription.js'

/**
 * Creates a client of a router, without a server. It exchanges the same JSON messages as a real client.
 *
 * ```ts
 * const client = testClient(router, { user: { id: 'ana' } })
 * const result = await client.callTool('task_list', { limit: 3 })
 * ```
 *
 * The app's login and guards don't run. The option `user` takes the place of the user that they would find.
 * @throws TypeError for unknown options and invalid values.
 */
export function testClient<E extends object = Register>(
  router: McpRouter<E>,
  ...[options]: OptionsArgument<TestClientOptions<E>>
): TestClient
export function testClient(router: object, options: object = {}): TestClient {
  return new TestClient(router as McpRouter<object>, options as AnyTestClientOptions)
}

/** Returns the texts of a result, one per line: text blocks and embedded resources of a tool, contents, messages. */
export function textOf(result: CallToolResult | ReadResourceResult | GetPromptResult): string {
  if ('contents' in result) return lines(result.contents.map(({ text }) => text))
  const blocks = 'messages' in result ? result.messages.map(({ content }) => content) : result.content
  return lines(
    blocks.map((block) => {
      if (block.type === 'text') return block.text
      return block.type === 'resource' ? block.resource.text : undefined
    }),
  )
}

function lines(texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join('\n')
}
