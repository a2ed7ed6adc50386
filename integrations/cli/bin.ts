#!/usr/bin/env node
/** What `npx mcp-router` starts. */

import { main } from './main.js'

const streams = {
  out: (text: string): void => void process.stdout.write(`${text}\n`),
  error: (text: string): void => void process.stderr.write(`${text}\n`),
}

// What the app prints while it is loaded must not end up in the answer.
console.log = console.error
console.info = console.error
console.debug = console.error

// An app that listens, or holds a connection, would keep the process; once all is written it may go.
main(process.argv.slice(2), streams).then(leave, (error: unknown) => {
  streams.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
  leave(2)
})

function leave(code: number): void {
  process.stdout.write('', () => process.exit(code))
}
