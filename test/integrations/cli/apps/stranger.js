/** Says who calls with a slip of the pen. */

import { McpRouter } from '../../../../src/index.js'

export const router = new McpRouter({ name: 'stranger', version: '1.0.0' })
export const mcpCaller = { usr: { id: 'ana' } }
