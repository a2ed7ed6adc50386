/** What docs/errors.md takes for granted. */

import { McpRouter } from 'mcp-router'

export const router: McpRouter = new McpRouter({ name: 'accounts', version: '1.0.0', exposeErrors: false })
export const tracker: { capture(error: unknown, tags: Record<string, unknown>): void } = { capture() {} }
