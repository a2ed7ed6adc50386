/** The MCP endpoint, as a route handler. */

import { mcp } from 'mcp-router/fetch'
import { auth } from '../../../auth.js'
import { router } from '../../../mcp.js'

const handler = mcp(router, { path: '/api/mcp', user: auth })

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST }
