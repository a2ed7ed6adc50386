/** `mcp-router` on Bare: the same, after the globals that it needs. */

import './globals.js'

export * from '../../src/index.js'
