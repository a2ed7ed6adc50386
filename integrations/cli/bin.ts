#!/usr/bin/env node
/** What `npx mcp-router` starts. */

import { endingOf, exitCodes } from './exit-codes.js'
import { main } from './main.js'
import { processTerminal } from './terminal/process-terminal.js'
import { harmless } from './terminal/terminal.js'

// Before anything else of this process may take stdout.
const terminal = processTerminal()

// The app may fail beside what is done here; its exit code must not be taken for an answer.
process.on('uncaughtException', (error) => {
  terminal.error(harmless(endingOf(error).text))
  process.exit(exitCodes.unreachable)
})

// An app that listens, or holds a connection, would keep the process; once all is written it may go.
main(process.argv.slice(2), terminal).then((code) => terminal.out(new Uint8Array(), () => process.exit(code)))
