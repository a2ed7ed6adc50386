#!/usr/bin/env node
/** The executable of `npx mcp-router`. */

import { exitCodes, outcomeOf } from './exit-codes.js'
import { main } from './main.js'
import { processTerminal } from './terminal/process-terminal.js'
import { sanitize } from './terminal/terminal.js'

// Created first, because loading the app redirects stdout.
const terminal = processTerminal()

// The app may throw outside of the command. Its default exit code 1 would mean that the tool failed.
process.on('uncaughtException', (error) => {
  terminal.error(sanitize(outcomeOf(error).text))
  process.exit(exitCodes.unreachable)
})

// The app may keep the process alive with a server or a connection, so exit once all output is written.
main(process.argv.slice(2), terminal).then((code) => terminal.out(new Uint8Array(), () => process.exit(code)))
