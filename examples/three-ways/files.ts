/** The third way: files. Their place is the name; the shelf comes with `ctx`. */
import { McpRouter } from 'mcp-router'
import { loadDirectory } from 'mcp-router/files'
import './register.js'

export const byFile = new McpRouter({ name: 'shelf', version: '1.0.0' })

await loadDirectory(byFile, new URL('./mcp', import.meta.url))
