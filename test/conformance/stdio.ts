/** The fixtures over stdio, for clients that start their server: `npm run clients -- stdio`. */
import { serveStdio } from 'mcp-router/stdio'
import { conformanceRouter } from './fixtures.js'

await serveStdio(conformanceRouter())
