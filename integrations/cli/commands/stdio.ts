/** Implements `mcp-router stdio`. */

import { serveStdio } from '../../stdio/index.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { load } from '../load/load.js'
import type { Input } from '../options.js'
import { callerOf, isUrl } from '../target.js'

/** Serves the module. Resolves when the client disconnects. */
export async function runStdio({ positionals: [file = ''], values }: Input): Promise<number> {
  if (isUrl(file)) throw new UsageError(`expected a module, got a URL: a client connects to ${file} directly`)
  const loaded = await load(file)
  const { user, context, scopes } = callerOf(loaded, values)
  await serveStdio(loaded.router, { user, context, scopes })
  return exitCodes.ok
}
