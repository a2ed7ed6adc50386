/** `mcp-router stdio`. */

import { serveStdio } from '../../stdio/index.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { load } from '../load/load.js'
import type { Input } from '../options.js'
import { callerOf, isUrl } from '../target.js'

/** Resolves when the client is gone. */
export async function runStdio({ positionals: [file = ''], values }: Input): Promise<number> {
  if (isUrl(file)) throw new UsageError(`stdio serves a module of yours; a client reaches ${file} by itself`)
  const loaded = await load(file)
  const { user, context, scopes } = callerOf(loaded, values)
  await serveStdio(loaded.router, { user, context, scopes })
  return exitCodes.fine
}
