/** What docs/definitions.md takes for granted. */

import { McpRouter } from 'mcp-router'

export const router: McpRouter<{ user: { id: string } }> = new McpRouter({ name: 'notes', version: '1.0.0' })
export const notes: { text: string; tags: string[] }[] = [{ text: 'Water the plants', tags: ['home'] }]
