/** The main entry point of `mcp-router` for Bare: defines missing globals first. */

import './globals.js'

export * from '../../src/index.js'
