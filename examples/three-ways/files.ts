/** The third way: files. The path is the name, and `ctx` contains the shelf. */
import { McpRouter } from 'mcp-router'
import { loadDirectory } from 'mcp-router/files'
import './register.js'

export const byFile = new McpRouter({ name: 'shelf', version: '1.0.0' })

await loadDirectory(byFile, new URL('./mcp', import.meta.url))
