/** A client of `serveStdio()` in this process, on streams of its own. */
import { PassThrough } from 'node:stream'
import type { McpRouter } from 'mcp-router'
import { type StdioOptions, serveStdio } from 'mcp-router/stdio'
import { onTestFinished } from 'vitest'
import { type MessageClient, messageClient } from '../../wire/messages.js'

export interface StdioSession extends MessageClient {
  readonly input: PassThrough
  readonly output: PassThrough
  /** Resolves when `serveStdio()` resolves. */
  readonly served: Promise<void>
}

export function session(router: McpRouter, options: StdioOptions<object> = {}): StdioSession {
  const input = new PassThrough()
  const output = new PassThrough()
  const { client, take } = messageClient((text) => void input.write(`${text}\n`))
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    take(...lines)
  })
  const served = serveStdio(router as McpRouter<object>, { input, output, ...options })
  onTestFinished(() => {
    input.destroy()
    output.destroy()
    return served
  })
  return { input, output, served, ...client }
}
