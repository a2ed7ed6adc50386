/** Option tables of tools, resources and prompts, for `definition()` and `update()`. */

import { isDateTime } from '../content/members.js'
import {
  aBoolean,
  aCacheHint,
  aFunction,
  anObject,
  arrayOf,
  aSize,
  aString,
  type Check,
  expected,
  icons,
  milliseconds,
  nested,
  type OptionTable,
  oneOf,
  readLater,
  scopeNames,
} from '../support/check-options.js'
import { describe } from '../support/values.js'

/** Checks for a function `(call, next)`. */
export const aMiddleware: Check = (value, what) => {
  aFunction(value, what)
  const { length } = value as { length: number }
  if (length <= 2) return
  const hint = 'is this a middleware of your framework? Wrap it in guard()'
  throw new TypeError(
    `${what} to be (call, next) => …; got ${describe(value)} of ${length} parameters: ${hint}`,
  )
}

/** Options that tools, resources and prompts share. */
export const common: Readonly<Record<string, Check>> = {
  name: aString,
  title: aString,
  description: aString,
  icons,
  meta: anObject,
  requireUser: aBoolean,
  scopes: scopeNames,
  visible: aFunction,
  needs: arrayOf(oneOf(['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'])),
  use: arrayOf(aMiddleware),
  timeoutMs: milliseconds,
}

/** The names of a tool's hints. The specification adds `Hint` to each. */
export const toolHints: readonly string[] = ['readOnly', 'destructive', 'idempotent', 'openWorld']

export const toolAnnotationOptions: Check = nested({
  title: aString,
  ...Object.fromEntries(toolHints.flatMap((hint) => [hint, `${hint}Hint`]).map((name) => [name, aBoolean])),
})

const annotations = nested({
  audience: arrayOf(oneOf(['user', 'assistant'])),
  priority: expected(
    'a number from 0 to 1',
    (value) => typeof value === 'number' && value >= 0 && value <= 1,
  ),
  lastModified: expected(
    'an ISO 8601 date and time with its offset, such as 2026-01-31T12:00:00Z',
    isDateTime,
  ),
})

const completers: Check = (value, what) => {
  anObject(value, what)
  for (const [name, completer] of Object.entries(value as object)) {
    if (completer !== undefined) aFunction(completer, `${what}.${name}`)
  }
}

export const tables: Readonly<Record<'tool' | 'resource' | 'prompt', OptionTable>> = {
  tool: {
    known: {
      ...common,
      input: readLater,
      output: readLater,
      unknownArguments: oneOf(['reject', 'strip', 'pass']),
      annotations: toolAnnotationOptions,
      confirm: aBoolean,
      task: oneOf(['optional', 'required']),
      handler: aFunction,
    },
  },
  resource: {
    known: {
      ...common,
      input: readLater,
      mimeType: aString,
      annotations,
      cache: aCacheHint,
      complete: completers,
      list: aFunction,
      text: aString,
      blob: expected('a Uint8Array', (value) => value instanceof Uint8Array),
      size: aSize,
      handler: aFunction,
    },
  },
  prompt: {
    known: { ...common, input: readLater, complete: completers, handler: aFunction },
  },
}

/** `{ lists?, reads? }` of the router. Each is a cache hint. */
export const cacheHints: Check = nested({ lists: aCacheHint, reads: aCacheHint })
